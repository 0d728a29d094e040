; a write to MODE sets the banks from bits 19:12 of the immediate, whatever its field is [LLVM]
	right s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 0
	wrong s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 0x1000
	v_mov_b32 v3, v7
	s_set_vgpr_msb 0
	out v3
