; memory is overwritten while a tensor load still reads it; the wave has read the same bytes after the copy
	tile
	load_tile
	global_load_b32 v20, v6, s[4:5]
	s_wait_loadcnt 0
	right s_wait_tensorcnt 0
	global_store_b32 v6, v6, s[4:5]
	s_wait_tensorcnt 0
