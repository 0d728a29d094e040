; ds_atomic_async_barrier_arrive follows asynchronous loads, not tensor loads [CDNA5 15.15]
	tile
	wave 1, 8f
	v_mov_b32 v20, 0
	v_mov_b32 v21, 0
	ds_store_b64 v10, v[20:21] offset:8192
	s_wait_dscnt 0
8:	barrier
	wave 1, 1f
	wrong load_tile
	s_mov_b32 exec_lo, 1
	right s_mov_b32 exec_lo, -1
	right global_load_async_to_lds_b32 v6, v6, s[4:5]
	s_mov_b32 exec_lo, 1
	ds_atomic_async_barrier_arrive_b64 v10 offset:8192
	s_wait_asynccnt 0
	s_wait_tensorcnt 0
	s_endpgm
1:
9:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 9b
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
