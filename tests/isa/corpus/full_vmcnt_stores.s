; stores fill vmcnt too: after a load and 63 stores the load has returned, after 62 it may be in flight [ISA table 2, 4.4]
	global_load_dword v20, v6, s[4:5]
	.rept 62
	out v7
	.endr
	right out v7
	v_mov_b32 v5, v20
	s_waitcnt vmcnt(0)
	out v5
