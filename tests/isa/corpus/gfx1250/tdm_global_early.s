; a tensor load is not in order with the wave's own stores to memory
	tile
	tile_to_out
	global_store_b32 v6, v7, s[6:7]
	global_store_b32 v6, v7, s[6:7] offset:128
	right s_wait_storecnt 0
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
