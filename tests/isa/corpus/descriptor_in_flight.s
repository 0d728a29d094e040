; the base of a buffer is still being loaded
	s_load_dwordx2 s[16:17], s[0:1], 8
	right s_waitcnt lgkmcnt(0)
	buffer_load_dword v3, v6, s[16:19], 0 offen
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v8, v3, s[8:9]
