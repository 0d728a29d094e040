; group 2 reads group 0's data and polls group 1's flag
	group 2, 1f
	s_lshl_b32 s31, s2, 2
	v_mov_b32 v12, s31
	out v7
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v12, v11, s[8:9] sc1
	s_endpgm
1:
	right poll_agent 0, 1
	wrong poll_agent 4, 1
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	out v3
