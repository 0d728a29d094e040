; one wave: its read of LDS and its next tensor load are not in order
	tile
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	right s_wait_dscnt 0
	load_tile
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
