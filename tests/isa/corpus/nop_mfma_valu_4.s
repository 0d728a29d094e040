; a VALU reads the result of an MFMA of 4 passes: 8 [ISA table 38]
	operands
	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	right s_nop 7
	v_mov_b32 v3, v40
	out v3
