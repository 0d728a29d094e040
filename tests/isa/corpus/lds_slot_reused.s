; a slot is written again only after the consumer has acknowledged it
	clear_flags
	wave 0, 1f
	poll_lds 8192, 1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	ds_write_b32 v10, v11 offset:8196
	poll_lds 8192, 2
	ds_read_b32 v4, v6
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, v3, v4
	out v3
	s_endpgm
1:	v_mov_b32 v14, 2
	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	right poll_lds 8196, 1
	ds_write_b32 v6, v6
	ds_write_b32 v10, v14 offset:8192
