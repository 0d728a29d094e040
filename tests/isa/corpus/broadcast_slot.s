; wave 0 broadcasts its ticket in a slot of LDS; without the second barrier the next ticket overtakes a slow reader
	s_mov_b32 s28, 3
	v_mov_b32 v5, 0
1:	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 2f
	v_mov_b32 v3, s28
	ds_write_b32 v10, v3
	s_waitcnt lgkmcnt(0)
2:	s_barrier
	ds_read_b32 v4, v10
	s_waitcnt lgkmcnt(0)
	v_add_u32 v5, v5, v4
	right s_barrier
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	out v5
