; the consumer must poll before it reads
	clear_flags
	wave 0, 1f
	wrong ds_read_b32 v3, v6
	poll_lds 8192, 1
	right ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v10, v11 offset:8192
