; tensor operations of a wave are one queue: a store has read its tile before the next load writes there
	tile
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	tile_to_out
	store_tile
	s_mov_b32 s38, s4
	s_or_b32 s39, s5, 0x80000000
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
