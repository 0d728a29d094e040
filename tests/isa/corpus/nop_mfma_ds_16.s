; ds_write reads the last register of an MFMA of 16 passes: 20 [ISA table 38]
	operands
	v_mfma_f32_32x32x4_2b_f16 v[40:71], v[20:21], v[22:23], 0
	s_nop 15
	right s_nop 3
	wrong s_nop 2
	ds_write_b32 v6, v71
