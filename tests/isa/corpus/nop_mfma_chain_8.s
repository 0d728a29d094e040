; MFMA of 8 passes accumulate one after the other without wait states: SrcC is exactly vDst [ISA table 38]
	operands
	v_mfma_f32_32x32x8_f16 v[40:55], v[20:21], v[22:23], v[40:55]
	v_mfma_f32_32x32x8_f16 v[40:55], v[24:25], v[26:27], v[40:55]
	s_nop 11
	out v40
