; loads and stores share the order of tensorcnt: with a store after it, 1 covers the load, 2 does not
	ds_store_b32 v6, v7 offset:0x400
	ds_store_b32 v6, v7 offset:0x480
	s_wait_dscnt 0
	tile
	load_tile
	tile_at 0x400
	tile_to_out
	store_tile
	right s_wait_tensorcnt 1
	wrong s_wait_tensorcnt 2
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	global_store_b32 v8, v3, s[6:7] offset:1024
	s_wait_tensorcnt 0
