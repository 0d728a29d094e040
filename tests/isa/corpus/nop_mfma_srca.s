; the result of an MFMA of 8 passes is A of the next: 12 [ISA table 38]
	operands
	v_mfma_f32_32x32x8_f16 v[40:55], v[20:21], v[22:23], v[60:75]
	right s_nop 11
	wrong s_nop 10
	v_mfma_f32_16x16x16_f16 v[76:79], v[40:41], v[22:23], v[80:83]
	s_nop 15
	out v76
