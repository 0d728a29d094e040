; lgkmcnt does not count global loads [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt lgkmcnt(0)
	out v3
