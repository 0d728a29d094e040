; a tensor store reads what the other wave stored to LDS: that wave must wait before it signals
	tile
	tile_to_out
	wave 1, 1f
	barrier
	store_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	right s_wait_dscnt 0
	barrier
