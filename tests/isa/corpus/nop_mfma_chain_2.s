; MFMA of 2 passes that accumulate need 2 [ISA table 38]
	operands
	v_mfma_f32_4x4x4_16b_f16 v[40:43], v[20:21], v[22:23], v[40:43]
	right s_nop 1
	wrong s_nop 0
	v_mfma_f32_4x4x4_16b_f16 v[40:43], v[24:25], v[26:27], v[40:43]
	s_nop 11
	out v40
