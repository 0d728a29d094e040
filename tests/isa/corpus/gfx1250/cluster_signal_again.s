; a workgroup signals the barrier of its cluster again before it has waited for it: where the other has not signalled, that is undefined
	wave 1, 1f
	s_barrier_signal -3
1:	right s_barrier_wait -3
	.rept 200
	s_nop 0
	.endr
	barrier
	wave 1, 2f
	s_barrier_signal -3
2:	s_barrier_wait -3
	out v7
