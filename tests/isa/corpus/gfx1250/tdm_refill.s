; wave 0 loads the next tile into the bytes that wave 1 may still read
	tile
	wave 1, 1f
	load_tile
	s_wait_tensorcnt 0
	barrier
	right barrier
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	barrier
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	right barrier
	out v3
