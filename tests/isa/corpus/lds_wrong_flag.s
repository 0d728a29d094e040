; the consumer reads wave 0's data and polls wave 1's flag
	clear_flags
	wave 0, 1f
	wave 1, 2f
	right poll_lds 8192, 1
	wrong poll_lds 8196, 1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	s_endpgm
2:	ds_write_b32 v6, v7 offset:512
	ds_write_b32 v10, v11 offset:8196
