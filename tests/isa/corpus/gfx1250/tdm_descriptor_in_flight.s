; the descriptor comes from memory, and is not there
	tile
	s_load_b32 s46, s[8:9], 0
	right s_wait_kmcnt 0
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
	s_wait_kmcnt 0
