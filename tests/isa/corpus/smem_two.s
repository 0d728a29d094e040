; scalar loads return out of order: lgkmcnt(1) proves nothing [ISA 4.4, 8.3]
	s_load_dword s28, s[4:5], 0
	s_load_dword s29, s[4:5], 64
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	v_mov_b32 v3, s28
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, s29, v3
	out v3
