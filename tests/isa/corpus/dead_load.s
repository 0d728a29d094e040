; a load that nothing reads may be in flight at s_endpgm
	out v7
	global_load_dword v3, v6, s[4:5]
