; which wave is first depends on the schedule
	right s_barrier_signal -1
	wrong s_barrier_signal_isfirst -1
	wrong s_wait_kmcnt 0
	right s_cmp_eq_u32 s12, 0
	s_cselect_b32 s20, 1, 0
	s_barrier_wait -1
	v_mov_b32 v3, s20
	out v3
