; memory that a tensor store writes is read by the other wave: storecnt 0 before the signal waits for nothing
	tile
	tile_to_out
	wave 1, 1f
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:128
	s_wait_dscnt 0
	store_tile
	right s_wait_tensorcnt 0
	wrong s_wait_storecnt 0
	barrier
	s_wait_tensorcnt 0
	s_endpgm
1:	barrier
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v6, v3, s[6:7] offset:2048
