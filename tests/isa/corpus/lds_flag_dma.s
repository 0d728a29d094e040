; LDS-DMA must have landed before an LDS flag says so: vmcnt(0) [ISA 4.4]
	clear_flags
	wave 0, 1f
	poll_lds 8192, 1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	s_mov_b32 m0, 0
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(0)
	ds_write_b32 v10, v11 offset:8192
