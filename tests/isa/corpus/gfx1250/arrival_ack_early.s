; a slot is given back by an arrival after its read, in LDS order; an arrival before the read gives it back too early
	tile
	wave 1, 8f
	v_mov_b32 v20, 0
	v_mov_b32 v21, 0
	ds_store_b64 v10, v[20:21] offset:8192
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
8:	barrier
	wave 1, 1f
9:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 9b
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	v_mov_b32 v22, 1
	v_mov_b32 v23, 0
	right ds_load_b32 v3, v6
	s_mov_b32 exec_lo, 1
	ds_atomic_barrier_arrive_rtn_b64 v[26:27], v10, v[22:23] offset:8192
	s_mov_b32 exec_lo, -1
	wrong ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
