; each workgroup adds its predecessor's partial sum; the third polls the first one's flag
	s_lshl_b32 s31, s2, 2
	v_mov_b32 v12, s31
	v_mov_b32 v5, v7
	group 0, 1f
	group 1, 2f
	right poll_agent 4, 1
	wrong poll_agent 0, 1
	s_branch 3f
2:	poll_agent 0, 1
3:	buffer_inv sc1
	v_subrev_u32 v14, 0x1000, v8
	global_load_dword v3, v14, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32 v5, v5, v3
1:	out v5
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v12, v11, s[8:9] sc1
