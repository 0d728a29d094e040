; memory that a tensor store writes is read before it has completed
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	store_tile
	right s_wait_tensorcnt 0
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
	s_wait_tensorcnt 0
