; LDS-DMA over bytes that the wave has just written: the write must be in LDS first [ISA 4.4]
	s_mov_b32 m0, 0
	ds_write_b32 v6, v7
	right s_waitcnt lgkmcnt(0)
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
