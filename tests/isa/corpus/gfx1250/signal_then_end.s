; a wave signals and ends: what it stored and waited for is there for those who wait; its later rounds need no signal
	wave 1, 1f
	s_barrier_signal -1
	s_barrier_wait -1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	s_barrier_signal -1
	s_barrier_wait -1
	out v3
	s_endpgm
1:	ds_store_b32 v6, v7
	right s_wait_dscnt 0
	s_barrier_signal -1
