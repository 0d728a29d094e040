; a wave joins a named barrier that may have completed before
	s_mov_b32 m0, 0x10001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	barrier
	right barrier
	.rept 400
	s_nop 0
	.endr
	s_mov_b32 m0, 1
	s_barrier_signal m0
	out v7
	s_endpgm
1:	barrier
	s_barrier_join 1
	right barrier
	s_barrier_wait 1
	out v7
