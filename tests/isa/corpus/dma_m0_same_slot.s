; M0 is each wave's own: two waves that leave it at 0 bring other bytes to the same slot
	right s_lshl_b32 s30, s12, 8
	wrong s_mov_b32 s30, 0
	s_mov_b32 m0, s30
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
