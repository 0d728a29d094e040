; two tiles of two waves arrive; a count for one opens after the first
	tile
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	v_mov_b32 v20, WRONG ^ 1
	v_mov_b32 v21, WRONG ^ 1
	ds_store_b64 v10, v[20:21] offset:8192
	s_wait_dscnt 0
8:	barrier
	wave 2, 1f
	s_lshl_b32 s37, s12, 10
	s_mov_b32 s40, 0x60000
	s_mov_b32 s41, 64 << 16 | 8192 / 8
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:
9:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 9b
	ds_load_b32 v3, v6
	ds_load_b32 v4, v6 offset:0x400
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v4
	out v3
