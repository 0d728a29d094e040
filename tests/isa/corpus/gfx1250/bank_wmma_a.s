; A of a WMMA in the second bank is in flight
	operands
	s_set_vgpr_msb 0x40
	.set n, 20
	.rept 8
	v_mov_b32 v[n], v1
	.set n, n+1
	.endr
	ds_store_b32 v6, v7
	ds_load_b32 v27, v6
	right s_wait_dscnt 0
	s_set_vgpr_msb 1
	v_wmma_f32_16x16x32_f16 v[40:47], v[20:27], v[30:37], v[40:47]
	.rept 9
	v_nop
	.endr
	s_set_vgpr_msb 0
	s_wait_dscnt 0
	out v40
