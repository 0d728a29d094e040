; VALU writes an operand of an MFMA: 2 [ISA table 38]
	operands
	v_mov_b32 v20, v7
	right s_nop 1
	wrong s_nop 0
	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	s_nop 15
	out v40
