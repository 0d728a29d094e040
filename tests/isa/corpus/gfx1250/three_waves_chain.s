; wave 0 hands to wave 1, wave 1 to wave 2: each hand-over needs its barrier
	wave 1, 1f
	wave 2, 2f
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	barrier
	barrier
	s_endpgm
1:	barrier
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	ds_store_b32 v6, v3 offset:128
	right s_wait_dscnt 0
	barrier
	s_endpgm
2:	barrier
	barrier
	ds_load_b32 v3, v6 offset:128
	s_wait_dscnt 0
	out v3
