; the wave that loads ends; another reads after a barrier that the ended wave did not need
	wave 1, 1f
	tile
	load_tile
	right s_wait_tensorcnt 0
	right barrier
	s_endpgm
1:	s_sleep 10
	barrier
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
