; the null barrier: after a join of 0 a wait for the named barrier waits for nothing
	s_mov_b32 m0, 0x20001
	wave 1, 1f
	s_barrier_init m0
	s_wait_kmcnt 0
	barrier
	barrier
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	s_barrier_signal 1
	s_endpgm
1:	barrier
	s_barrier_join 1
	wrong s_barrier_join 0
	barrier
	s_barrier_signal 1
	s_barrier_wait 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
