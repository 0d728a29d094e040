; a barrier of two phases, which the last of three waves turns over; three rounds
	clear_flags
	s_mov_b32 s31, 0
	s_mov_b64 s[34:35], -1
	v_xor_b32 v12, 0x100, v7
	s_cmp_eq_u32 s12, 2
	s_cselect_b32 s33, 1, 0
	v_mov_b32 v15, 3
	.set n, 0
	.rept 3
	v_add_u32 v5, n, v7
	ds_write_b32 v7, v5
	s_waitcnt lgkmcnt(0)
	s_xor_b32 s31, s31, 1
	v_mov_b32 v14, s31
	s_mov_b64 exec, 1
	ds_add_rtn_u32 v13, v10, v11 offset:8196
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	right s_cmp_lg_u32 s30, 2
	wrong s_cmp_lg_u32 s30, 1
	s_cbranch_scc1 77f
	ds_write_b32 v10, v10 offset:8196
	ds_write_b32 v10, v14 offset:8192
	s_waitcnt lgkmcnt(0)
77:	ds_read_b32 v13, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_lg_u32 s30, s31
	s_cbranch_scc1 77b
	s_mov_b64 exec, -1
	.if n == 0
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:256
	ds_read_b32 v5, v6 offset:512
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v3, v3, v4, v5
	out v3
	.endif
	.if n == 1
	v_mov_b32 v3, 0
	.endif
	v_add_u32 v7, 1024, v7
	v_add_u32 v6, 1024, v6
	.set n, n+1
	.endr
