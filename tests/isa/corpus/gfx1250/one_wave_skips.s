; wave 1 never signals
	right s_barrier_signal -1
	wrong wave 1, 1f
	wrong s_barrier_signal -1
	s_barrier_wait -1
1:	out v7
	s_cmp_eq_u32 s12, 1
	wrong s_cbranch_scc0 2f
	wrong s_barrier_wait -1
2:	s_nop 0
