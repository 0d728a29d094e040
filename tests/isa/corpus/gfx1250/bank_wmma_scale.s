; scales of a WMMA are in the first bank, whatever banks are set: v3, not v259
	operands
	v_mov_b32 v3, 0
	v_mov_b32 v4, 0
	right s_set_vgpr_msb 0x40
	global_load_b32 v3, v6, s[4:5]
	s_set_vgpr_msb 0
	v_wmma_scale_f32_16x16x128_f8f6f4 v[80:87], v[20:35], v[40:55], v[80:87], v4, v3
	.rept 9
	v_nop
	.endr
	out v80
	s_wait_loadcnt 0
