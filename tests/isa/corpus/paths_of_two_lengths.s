; one path issues one load more: after the join vmcnt(1) covers v3 on the longer path alone
	global_load_dword v3, v6, s[4:5]
	group 1, 1f
	global_load_dword v4, v6, s[4:5] offset:256
1:	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(1)
	v_add_u32 v3, 1, v3
	s_waitcnt vmcnt(0)
	out v3
