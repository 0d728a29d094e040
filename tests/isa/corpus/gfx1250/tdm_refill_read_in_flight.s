; the read is in flight across the barrier; the next tile lands over its bytes
	tile
	wave 1, 1f
	load_tile
	s_wait_tensorcnt 0
	barrier
	barrier
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	barrier
	ds_load_b32 v3, v6
	right s_wait_dscnt 0
	barrier
	s_wait_dscnt 0
	out v3
