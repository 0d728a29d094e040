; each workgroup writes a dword, one after the other
	group 1, 1f
	global_store_b32 v7, v7, s[6:7]
	s_wait_storecnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	s_endpgm
1:	right s_barrier_signal -3
	right s_barrier_wait -3
	global_store_b32 v7, v1, s[6:7] offset:4
	wrong s_barrier_signal -3
	wrong s_barrier_wait -3
