; a wave signals a named barrier that another one may initialise later
	s_mov_b32 m0, 0x10001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	s_barrier_join 1
	barrier
	s_barrier_wait 1
	out v7
	s_endpgm
1:
	.rept 400
	s_nop 0
	.endr
	s_mov_b32 m0, 1
	wrong s_barrier_signal m0
	barrier
	right s_barrier_signal m0
	out v7
