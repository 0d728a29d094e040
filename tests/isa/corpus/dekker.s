; each wave sets its flag and looks at the other's once: what it reads depends on the schedule
	clear_flags
	s_lshl_b32 s28, s12, 2
	v_mov_b32 v12, s28
	v_xor_b32 v14, 4, v12
	ds_write_b32 v12, v11 offset:8192
	right s_waitcnt lgkmcnt(0)
	right s_barrier
	ds_read_b32 v3, v14 offset:8192
	s_waitcnt lgkmcnt(0)
	out v3
