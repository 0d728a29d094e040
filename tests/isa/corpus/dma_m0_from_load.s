; M0 comes from an SGPR that a scalar load has still to write
	s_mov_b32 s30, 0
	s_load_dword s30, s[8:9], 0
	right s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, s30
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
