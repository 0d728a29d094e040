; SALU writes M0 before a global load with LDS = 1: 1 [ISA table 11]
	s_mov_b32 m0, 0
	right s_nop 0
	global_load_lds_dword v6, s[4:5]
	s_waitcnt vmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
