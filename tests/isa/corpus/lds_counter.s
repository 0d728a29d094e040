; an arrival counter of two producers: 1 is not enough
	clear_flags
	wave 2, 1f
	ds_write_b32 v7, v7
	s_mov_b64 exec, 1
	ds_add_u32 v10, v11 offset:8192
	s_endpgm
1:
	right poll_lds 8192, 2
	wrong poll_lds 8192, 1
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:256
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, v3, v4
	out v3
