; a tensor load and a copy of the same wave to the same bytes are in no order
	tile
	load_tile
	right s_wait_tensorcnt 0
	global_load_async_to_lds_b32 v6, v6, s[4:5] offset:0
	s_wait_asynccnt 0
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6 offset:64
	s_wait_dscnt 0
	out v3
