; SrcC overlaps the result of an MFMA of 4 passes without being it: 6 [ISA table 38]
	operands
	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	right s_nop 5
	wrong s_nop 4
	v_mfma_f32_16x16x16_f16 v[50:53], v[24:25], v[26:27], v[42:45]
	s_nop 15
	out v50
