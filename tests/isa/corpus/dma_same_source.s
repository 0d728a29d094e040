; two waves bring the same bytes to the same slot; other bytes are a race
	s_mov_b32 m0, 0
	s_nop 4
	right buffer_load_dword v6, s[16:19], 0 offen lds
	wrong buffer_load_dword v7, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
