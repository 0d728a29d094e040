; LDS-DMA of 16 bytes a lane fills 1024 bytes a wave; slots of 512 overlap [ISA 10.3]
	v_lshlrev_b32 v12, 4, v0
	right s_lshl_b32 m0, s12, 10
	wrong s_lshl_b32 m0, s12, 9
	s_nop 4
	buffer_load_dwordx4 v12, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v3, v7
	s_waitcnt lgkmcnt(0)
	out v3
