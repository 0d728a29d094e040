; M0 counts when the block is issued, not when it is loaded
	v_mov_b32 v41, v1
	v_mov_b32 v42, v1
	s_mov_b32 m0, 0x5
	right global_load_block v[40:71], v6, s[4:5]
	s_mov_b32 m0, 0x2
	wrong global_load_block v[40:71], v6, s[4:5]
	out v41
	s_wait_loadcnt 0
