; wave 0 signals, waits and stores again while wave 1 has yet to read: one barrier a round
	s_mov_b32 s20, 3
	v_mov_b32 v5, 0
	v_mov_b32 v3, 0
1:	wave 1, 2f
	ds_store_b32 v6, v5
	s_wait_dscnt 0
2:	barrier
	wave 0, 3f
	ds_load_b32 v3, v6
	s_wait_dscnt 0
3:	right barrier
	v_add_nc_u32 v5, v5, v11
	s_sub_co_i32 s20, s20, 1
	s_cmp_lg_u32 s20, 0
	s_cbranch_scc1 1b
	out v3
