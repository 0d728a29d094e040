; a flag for data that the tensor data mover stores: storecnt does not count them
	group 1, 1f
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	store_tile
	right s_wait_tensorcnt 0
	wrong s_wait_storecnt 0
	global_wb scope:SCOPE_DEV
	s_wait_storecnt 0
	global_store_b32 v10, v11, s[8:9] scope:SCOPE_DEV
	s_wait_tensorcnt 0
	s_endpgm
1:	poll_agent 0, 1
	global_inv scope:SCOPE_DEV
	s_wait_loadcnt 0
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[6:7]
