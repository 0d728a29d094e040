; one workgroup loads a tile of what the other stores
	group 1, 1f
	tile
	tile_to_out
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	right global_store_b32 v6, v7, s[6:7] offset:256
	wrong global_store_b32 v6, v7, s[6:7] offset:252
