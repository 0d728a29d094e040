; a tile of no columns copies nothing
	tile
	wrong s_mov_b32 s43, 0
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
