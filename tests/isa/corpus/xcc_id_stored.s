; which die a workgroup runs on is not its program's to say
	s_getreg_b32 s28, hwreg(HW_REG_XCC_ID)
	right s_mov_b32 s28, 1
	v_mov_b32 v3, s28
	out v3
