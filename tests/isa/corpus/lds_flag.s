; an LDS flag is set after the data: operations of one wave are in order [ISA 4.4]
	clear_flags
	wave 0, 1f
	poll_lds 8192, 1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	right ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	wrong ds_write_b32 v6, v7
