; two slots, three tiles: the wait of the second round must be 0, because nothing was issued after its tile
	tile
	s_mov_b32 s21, 3
	s_mov_b32 s22, 0
	v_mov_b32 v5, 0
	s_cmp_eq_u32 s12, 0
	s_cselect_b32 s20, 1, 0
	s_cmp_eq_u32 s20, 1
	s_cbranch_scc0 1f
	load_tile
1:	s_cmp_eq_u32 s20, 1
	s_cbranch_scc0 3f
	s_cmp_eq_u32 s21, 1
	s_cbranch_scc1 2f
	s_xor_b32 s37, s37, 0x100
	load_tile
	s_wait_tensorcnt 1
	s_branch 3f
2:	right s_wait_tensorcnt 0
	wrong s_wait_tensorcnt 1
3:	barrier
	v_add_nc_u32 v12, s22, v6
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	v_add_nc_u32 v5, v5, v3
	barrier
	s_xor_b32 s22, s22, 0x100
	s_sub_co_i32 s21, s21, 1
	s_cmp_lg_u32 s21, 0
	s_cbranch_scc1 1b
	out v5
	s_wait_tensorcnt 0
