; the bytes of scales are those of the lower lanes, which are off, or of the upper ones
	operands
	v_mov_b32 v3, v1
	s_mov_b32 exec_lo, 0xffff
	global_load_b32 v3, v7, s[4:5]
	s_mov_b32 exec_lo, 0xffff0000
	wrong v_cvt_scale_pk8_f32_fp8 v[20:27], v[60:61], v3 scale_sel:0
	right v_cvt_scale_pk8_f32_fp8 v[20:27], v[60:61], v3 scale_sel:8
	out v20
