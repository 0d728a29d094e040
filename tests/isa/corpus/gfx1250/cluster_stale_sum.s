; the same of a sum, in the scalar cache
	s_load_b32 s20, s[6:7], 0
	s_wait_kmcnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	global_atomic_add_u32 v10, v11, s[6:7]
	s_wait_storecnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	right s_dcache_inv
	s_load_b32 s21, s[6:7], 0
	s_wait_kmcnt 0
	s_xor_b32 s20, s20, s21
	v_mov_b32 v3, s20
	global_store_b32 v8, v3, s[6:7] offset:1024
