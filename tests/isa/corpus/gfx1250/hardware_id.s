; where a wave runs
	right v_mov_b32 v3, v7
	wrong s_getreg_b32 s20, hwreg(HW_REG_WAVE_HW_ID1)
	wrong v_mov_b32 v3, s20
	out v3
