; two workgroups store tiles of two rows beside each other
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	s_mov_b32 s41, 32 << 16
	s_mov_b32 s42, 2 << 16
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s44, 2
	s_mov_b32 s21, 0
	s_lshl_b32 s20, s2, 7
	wrong s_lshl_b32 s20, s2, 6
	s_add_nc_u64 s[38:39], s[38:39], s[20:21]
	store_tile
	s_wait_tensorcnt 0
