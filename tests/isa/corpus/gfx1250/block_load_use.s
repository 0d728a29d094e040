; a register of a block is read before the block is loaded
	v_mov_b32 v40, v1
	v_mov_b32 v42, v1
	s_mov_b32 m0, 0x5
	global_load_block v[40:71], v6, s[4:5]
	right s_wait_loadcnt 0
	out v42
