; s_barrier orders nothing between workgroups
	right global_store_dword v8, v7, s[6:7]
	wrong global_store_dword v6, v8, s[6:7]
	s_waitcnt vmcnt(0)
	s_barrier
