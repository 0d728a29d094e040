; a wave joins a named barrier that another one may initialise later; the one that initialises it need not wait
	s_mov_b32 m0, 0x20001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	s_barrier_join 1
	barrier
	s_barrier_signal 1
	s_barrier_wait 1
	out v7
	s_endpgm
1:
	.rept 400
	s_nop 0
	.endr
	wrong s_barrier_join 1
	barrier
	right s_barrier_join 1
	s_barrier_signal 1
	s_barrier_wait 1
	out v7
