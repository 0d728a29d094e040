; a scale that is in flight
	operands
	v_mov_b32 v4, 0
	v_nop
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	v_wmma_scale_f32_16x16x128_f8f6f4 v[80:87], v[20:35], v[40:55], v[80:87], v4, v3
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	out v80
