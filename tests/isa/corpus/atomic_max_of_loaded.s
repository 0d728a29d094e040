; maxima of two workgroups commute; a load of the running maximum that is stored does not
	global_atomic_umax v6, v7, s[8:9] sc1
	s_waitcnt vmcnt(0)
	wrong global_load_dword v3, v6, s[8:9] sc1
	right v_mov_b32 v3, v7
	s_waitcnt vmcnt(0)
	out v3
