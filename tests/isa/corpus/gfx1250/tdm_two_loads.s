; tensor operations of a wave complete in order: tensorcnt 1 covers the first
	tile
	load_tile
	tile_at 0x400
	load_tile
	s_wait_tensorcnt 1
	right ds_load_b32 v3, v6
	wrong ds_load_b32 v3, v6 offset:0x400
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
