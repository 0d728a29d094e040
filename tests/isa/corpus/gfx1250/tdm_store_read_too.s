; LDS is overwritten while a tensor store still reads it; the wave has read the same bytes after the copy
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	store_tile
	ds_load_b32 v20, v6 offset:64
	s_wait_dscnt 0
	right s_wait_tensorcnt 0
	ds_store_b32 v6, v6 offset:64
	s_wait_dscnt 0
	s_wait_tensorcnt 0
