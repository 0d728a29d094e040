; v_cmpx before an MFMA: 4 [ISA table 38]
	operands
	v_cmpx_ge_u32 v1, v10
	right s_nop 3
	wrong s_nop 2
	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	s_nop 15
	out v40
