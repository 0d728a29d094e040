; ds_append gives each wave its place: which one comes first depends on the schedule; the sum of places does not
	s_mov_b32 m0, -1
	ds_write_b32 v10, v10 offset:8192
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_mov_b32 m0, 8192
	ds_append v3
	s_waitcnt lgkmcnt(0)
	right s_barrier
	right ds_read_b32 v3, v10 offset:8192
	right s_waitcnt lgkmcnt(0)
	out v3
