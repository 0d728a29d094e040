; the issuing wave signals before the tile has landed
	wave 1, 1f
	tile
	load_tile
	right s_wait_tensorcnt 0
	s_barrier_signal -1
	s_wait_tensorcnt 0
	s_barrier_wait -1
	s_endpgm
1:	barrier
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
