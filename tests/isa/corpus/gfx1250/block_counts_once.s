; a block counts once: after a wait for one operation the block before it is loaded, and not the next
	s_mov_b32 m0, 0x8001
	global_load_block v[40:71], v6, s[4:5]
	global_load_block v[72:103], v6, s[4:5] offset:64
	s_wait_loadcnt 1
	right out v55
	wrong out v87
	s_wait_loadcnt 0
