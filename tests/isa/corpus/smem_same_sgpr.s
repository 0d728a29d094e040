; two scalar loads into one SGPR land in any order, whatever wait follows [ISA 8.3]
	s_load_dword s30, s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	s_load_dword s30, s[4:5], 64
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, s30
	out v3
