; a tile that both workgroups load together fills the LDS of each, and each waits for its own
	tile
	s_mov_b32 s40, 0x20003
	load_tile
	group 0, 1f
	right s_wait_tensorcnt 0
1:	s_cmp_eq_u32 s2, 0
	s_cbranch_scc0 2f
	s_wait_tensorcnt 0
2:	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
