; a high priority orders nothing
	wave 1, 1f
	s_setprio 3
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	s_setprio 0
	right s_barrier
	s_endpgm
1:	s_setprio 0
	right s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
