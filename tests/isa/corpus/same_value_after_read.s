; two workgroups store the same value: it matters if one of them has read what was there before
	group 1, 1f
	wrong global_load_dword v5, v6, s[6:7]
	right v_mov_b32 v5, 0
	s_waitcnt vmcnt(0)
	s_barrier
	global_store_dword v7, v5, s[8:9]
1:	global_store_dword v6, v6, s[6:7]
