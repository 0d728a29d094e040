; the old value of an atomic
	right global_atomic_add_u32 v10, v11, s[8:9] scope:SCOPE_DEV
	right v_mov_b32 v3, v7
	wrong global_atomic_add_u32 v3, v10, v11, s[8:9] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0
	out v3
