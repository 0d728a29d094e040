; a tensor store reads LDS before the wave's stores are there
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	right s_wait_dscnt 0
	store_tile
	s_wait_tensorcnt 0
