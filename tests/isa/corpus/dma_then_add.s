; an LDS atomic on a slot of LDS-DMA that is in flight
	s_mov_b32 m0, 0
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(0)
	ds_add_u32 v6, v11
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
