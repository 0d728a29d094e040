; a VALU reads the result of v_mfma_f64_16x16x4: 19 [ISA table 38]
	operands
	v_mfma_f64_16x16x4_f64 v[40:47], v[20:21], v[22:23], v[60:67]
	s_nop 15
	right s_nop 2
	wrong s_nop 1
	v_mov_b32 v3, v40
	out v3
