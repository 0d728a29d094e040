; the wait stands in a subroutine
	global_load_dword v3, v6, s[4:5]
	s_getpc_b64 s[28:29]
	s_add_u32 s28, s28, 1f-.
	s_addc_u32 s29, s29, 0
	s_swappc_b64 s[30:31], s[28:29]
	v_add_u32 v3, 1, v3
	s_waitcnt vmcnt(0)
	out v3
	s_endpgm
1:	right s_waitcnt vmcnt(0)
	s_setpc_b64 s[30:31]
