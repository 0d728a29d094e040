; a flag of two values: the consumer resets it when it has read the slot
	clear_flags
	wave 0, 1f
	.rept 3
	poll_lds 8192, 1
	wrong ds_write_b32 v10, v10 offset:8192
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	right ds_write_b32 v10, v10 offset:8192
	.endr
	out v3
	s_endpgm
1:	.rept 3
77:	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, 0
	s_cbranch_scc1 77b
	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	.endr
