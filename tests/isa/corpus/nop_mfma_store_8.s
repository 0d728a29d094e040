; a store reads the result of an MFMA of 8 passes: 12 [ISA table 38]
	operands
	v_mfma_f32_32x32x8_f16 v[40:55], v[20:21], v[22:23], v[60:75]
	right s_nop 11
	wrong s_nop 10
	out v40
