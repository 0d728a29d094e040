; LDS-DMA overwrites what a read in flight wants: different units, no order without lgkmcnt(0) [ISA 4.4]
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, 0
	s_nop 4
	ds_read_b32 v3, v6
	right s_waitcnt lgkmcnt(0)
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v3
