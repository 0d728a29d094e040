; the barrier is satisfied when the writer has ended; its write has landed only after lgkmcnt(0) [ISA 4.3]
	wave 1, 1f
	ds_write_b32 v6, v7
	right s_waitcnt lgkmcnt(0)
	s_endpgm
1:	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
