; a store reads the result of an MFMA of 2 passes: 5 [ISA table 38]
	operands
	v_mfma_f32_4x4x4_16b_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	right s_nop 4
	wrong s_nop 3
	out v40
