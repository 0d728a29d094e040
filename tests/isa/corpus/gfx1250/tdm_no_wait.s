; the tile may not have landed
	tile
	load_tile
	right s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
