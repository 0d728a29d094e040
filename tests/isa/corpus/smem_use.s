; a scalar load needs lgkmcnt(0) [ISA 8.3]
	s_load_dword s28, s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, s28
	s_waitcnt lgkmcnt(0)
	out v3
