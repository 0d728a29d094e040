; a store reads the result of v_mfma_f64_4x4x4: 9 [ISA table 38]
	operands
	v_mfma_f64_4x4x4_4b_f64 v[40:41], v[20:21], v[22:23], v[60:61]
	right s_nop 8
	wrong s_nop 7
	out v40
