; a loaded register is stored before vmcnt(0) [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	out v3
