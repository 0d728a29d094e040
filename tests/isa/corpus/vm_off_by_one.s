; of two loads in order vmcnt(1) covers the first, vmcnt(2) none [ISA 4.4]
	global_load_dword v3, v6, s[4:5]
	global_load_dword v4, v6, s[4:5] offset:256
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0)
	v_xor_b32 v5, v5, v4
	out v5
