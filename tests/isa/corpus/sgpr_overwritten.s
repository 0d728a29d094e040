; s_mov writes an SGPR that a scalar load has still to write
	s_load_dword s28, s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	s_mov_b32 s28, 5
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, s28
	out v3
