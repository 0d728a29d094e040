; a second LDS-DMA that overtakes a read: harmless where it loads what is there
	s_mov_b32 m0, 0
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v5, v6
	right s_mov_b32 s31, 0
	wrong s_mov_b32 s31, 4
	buffer_load_dword v6, s[16:19], s31 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	out v5
