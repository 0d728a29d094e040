; a clock
	right v_mov_b32 v3, v7
	wrong s_getreg_b32 s20, hwreg(HW_REG_SHADER_CYCLES_LO)
	wrong v_mov_b32 v3, s20
	out v3
