; s_setreg before s_getreg of the same register: 2 [ISA table 11]
	s_mov_b32 s28, 3
	s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s28
	right s_nop 1
	wrong s_nop 0
	s_getreg_b32 s29, hwreg(HW_REG_MODE, 4, 2)
	s_nop 1
	v_mov_b32 v3, s29
	out v3
