; a null descriptor copies nothing, yet counts: after it tensorcnt 1 covers the load before it, 2 does not
	tile
	load_tile
	s_mov_b32 s36, 0
	load_tile
	right s_wait_tensorcnt 1
	wrong s_wait_tensorcnt 2
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
