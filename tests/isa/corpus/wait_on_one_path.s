; one of two paths lacks the wait [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	group 1, 1f
	s_waitcnt vmcnt(0)
	v_add_u32 v3, 1, v3
	s_branch 2f
1:	right s_waitcnt vmcnt(0)
	v_add_u32 v3, 2, v3
2:	s_waitcnt vmcnt(0)
	out v3
