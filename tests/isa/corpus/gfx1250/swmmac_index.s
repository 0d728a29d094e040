; the indices of a sparse WMMA are in flight
	operands
	v_mov_b32 v4, 0x44444444
	global_load_b32 v4, v6, s[8:9]
	right s_wait_loadcnt 0
	right v_mov_b32 v4, 0x44444444
	v_swmmac_f32_16x16x64_f16 v[60:67], v[20:27], v[30:45], v4
	.rept 9
	v_nop
	.endr
	out v60
	s_wait_loadcnt 0
