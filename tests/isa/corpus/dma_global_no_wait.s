; global_load_lds without vmcnt before the wave's own LDS read [ISA 10.3]
	s_mov_b32 m0, 0
	s_nop 4
	global_load_lds_dword v6, s[4:5]
	right s_waitcnt vmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
