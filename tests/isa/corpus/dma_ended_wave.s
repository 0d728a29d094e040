; a wave ends while its LDS-DMA is in flight; the other one's barrier is satisfied by its end [ISA 4.3]
	wave 1, 1f
	s_mov_b32 m0, 0
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(0)
	s_endpgm
1:	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
