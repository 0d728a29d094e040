; one wave of each workgroup signals two rounds of the barrier of the cluster, for which both wait: after the first wait of the other wave, or perhaps before it
	wave 1, 1f
	s_barrier_signal -3
	s_barrier_wait -3
	right barrier
	.rept 400
	s_nop 0
	.endr
	s_barrier_signal -3
	s_barrier_wait -3
	out v7
	s_endpgm
1:	s_barrier_wait -3
	right barrier
	s_barrier_wait -3
	out v7
