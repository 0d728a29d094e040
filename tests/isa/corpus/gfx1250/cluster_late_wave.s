; a wave that is late may go on after the first round of the barrier of its cluster, beside the second, in which the other workgroup reads
	wave 1, 1f
	s_barrier_signal -3
	s_barrier_wait -3
	right barrier
	group 0, 2f
	global_load_b32 v3, v6, s[6:7]
	s_wait_loadcnt 0
	global_store_b32 v8, v3, s[8:9]
2:	s_barrier_signal -3
	s_barrier_wait -3
	s_endpgm
1:
	.rept 500
	s_nop 0
	.endr
	s_barrier_wait -3
	right barrier
	right s_barrier_wait -3
	group 1, 3f
	global_store_b32 v6, v7, s[6:7]
3:
