; a wave that leaves its named barrier is waited for no more; one that only ends still is
	s_mov_b32 m0, 0x20001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	barrier
	s_barrier_join 1
	barrier
	s_barrier_signal 1
	s_barrier_wait 1
	s_barrier_signal 1
	s_barrier_wait 1
	out v7
	s_endpgm
1:	barrier
	s_barrier_join 1
	barrier
	s_barrier_signal 1
	s_barrier_wait 1
	right s_barrier_leave
	out v7
