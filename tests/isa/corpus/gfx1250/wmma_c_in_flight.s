; the accumulator is in flight
	operands
	ds_store_b32 v6, v7
	ds_load_b32 v44, v6
	right s_wait_dscnt 0
	v_wmma_f32_16x16x32_f16 v[50:57], v[20:27], v[30:37], v[40:47]
	.rept 9
	v_nop
	.endr
	out v50
	s_wait_dscnt 0
