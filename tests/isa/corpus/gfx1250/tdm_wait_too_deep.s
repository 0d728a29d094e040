; three loads in flight, the first is read: tensorcnt 2, not 3
	tile
	load_tile
	tile_at 0x400
	load_tile
	tile_at 0x800
	load_tile
	right s_wait_tensorcnt 2
	wrong s_wait_tensorcnt 3
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
