; the second barrier of a loop round is missing
	v_xor_b32 v12, 0x80, v7
	s_mov_b32 s20, 2
	v_mov_b32 v5, 0
1:	ds_store_b32 v7, v5
	s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	v_add_nc_u32 v5, v5, v3
	right barrier
	s_sub_co_i32 s20, s20, 1
	s_cmp_lg_u32 s20, 0
	s_cbranch_scc1 1b
	out v5
