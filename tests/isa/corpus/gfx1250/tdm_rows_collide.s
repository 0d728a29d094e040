; rows of one store that lie upon each other
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v6 offset:128
	s_wait_dscnt 0
	s_mov_b32 s41, 32 << 16
	s_mov_b32 s42, 2 << 16
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s44, 2
	wrong s_mov_b32 s45, 16
	store_tile
	s_wait_tensorcnt 0
