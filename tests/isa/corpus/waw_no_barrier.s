; two waves write other values to the same LDS without order
	wave 1, 1f
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	right s_barrier
	s_branch 2f
1:	right s_barrier
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
2:	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
