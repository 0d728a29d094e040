; a VALU overwrites SrcC of an MFMA of 8 passes that still reads it: 7 [ISA table 38, last row]
	operands
	v_mfma_f32_32x32x8_f16 v[40:55], v[20:21], v[22:23], v[60:75]
	right s_nop 6
	wrong s_nop 5
	v_mov_b32 v60, v7
	s_nop 15
	out v60
