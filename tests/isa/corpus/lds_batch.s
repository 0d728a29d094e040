; a consumer takes as many slots as the counter says, not one more
	clear_flags
	ds_write_b32 v6, v10
	ds_write_b32 v6, v10 offset:256
	ds_write_b32 v6, v10 offset:512
	ds_write_b32 v6, v10 offset:768
	s_waitcnt lgkmcnt(0)
	s_barrier
	wave 0, 9f
	v_mov_b32 v4, 0
	s_mov_b32 s31, 0
1:	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_le_u32 s30, s31
	s_cbranch_scc1 1b
	wrong s_add_u32 s30, s30, 1
2:	s_lshl_b32 s29, s31, 8
	v_add_u32 v12, s29, v6
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v4, v4, v3
	s_add_u32 s31, s31, 1
	s_cmp_lt_u32 s31, s30
	s_cbranch_scc1 2b
	s_cmp_lt_u32 s31, 3
	s_cbranch_scc1 1b
	out v4
	s_endpgm
9:	.set n, 0
	.rept 3
	ds_write_b32 v6, v7 offset:n*256
	v_mov_b32 v14, n+1
	ds_write_b32 v10, v14 offset:8192
	.set n, n+1
	.endr
