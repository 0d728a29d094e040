; a barrier hands on what a flag gave to one of its waves
	clear_flags
	wave 0, 1f
	wave 1, 2f
	right s_barrier
	ds_read_b32 v3, v6
	wrong s_barrier
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	s_barrier
	s_endpgm
2:	poll_lds 8192, 1
	s_barrier
