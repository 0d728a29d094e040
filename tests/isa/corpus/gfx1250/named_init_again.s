; a named barrier is initialised while it is in use
	s_mov_b32 m0, 0x20001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	s_barrier_join 1
	barrier
	barrier
	wrong s_barrier_init m0
	wrong s_wait_kmcnt 0
	s_barrier_signal 1
	s_barrier_wait 1
	out v7
	s_endpgm
1:	barrier
	s_barrier_join 1
	barrier
	.rept 400
	s_nop 0
	.endr
	s_barrier_signal 1
	s_barrier_wait 1
	out v7
