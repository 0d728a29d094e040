; the sum is read before the other wave has added
	ds_write_b32 v7, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_add_u32 v10, v7
	s_waitcnt lgkmcnt(0)
	right s_barrier
	ds_read_b32 v3, v10
	s_waitcnt lgkmcnt(0)
	out v3
