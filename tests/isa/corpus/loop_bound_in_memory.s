; a loop that loads its bound each round waits for nothing if the launch does not write the bound
	v_mov_b32 v5, 0
	s_mov_b32 s28, s2
	wrong v_mov_b32 v12, 3
	wrong group 1, 1f
	wrong global_store_dword v10, v12, s[8:9] sc1
1:	s_load_dword s30, s[8:9], 0
	v_add_u32 v5, v5, v7
	s_add_u32 s28, s28, 2
	s_waitcnt lgkmcnt(0)
	s_cmp_lt_u32 s28, s30
	s_cbranch_scc1 1b
	out v5
