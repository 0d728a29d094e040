; a register that M0 leaves out is not in flight; the one after it is
	v_mov_b32 v41, v1
	s_mov_b32 m0, 0x5
	global_load_block v[40:71], v6, s[4:5]
	right out v41
	wrong out v42
	s_wait_loadcnt 0
