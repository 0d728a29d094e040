; of two waves that wait for a named barrier, one signals the second round: after the first wait of the other, or perhaps before it
	s_mov_b32 m0, 0x10001
	wave 1, 1f
	wave 2, 2f
	s_barrier_init m0
	s_wait_kmcnt 0
	s_barrier_join 1
	barrier
	barrier
	s_mov_b32 m0, 1
	s_barrier_signal m0
	s_barrier_wait 1
	right barrier
	.rept 400
	s_nop 0
	.endr
	s_barrier_signal m0
	s_barrier_wait 1
	out v7
	s_endpgm
2:	barrier
	barrier
	right barrier
	s_endpgm
1:	barrier
	s_barrier_join 1
	barrier
	s_barrier_wait 1
	right barrier
	s_barrier_wait 1
	out v7
