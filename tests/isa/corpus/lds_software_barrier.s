; a barrier of LDS atomics waits for all three waves
	clear_flags
	ds_write_b32 v7, v7
	s_mov_b64 exec, 1
	ds_add_u32 v10, v11 offset:8192
	right poll_lds 8192, 3
	wrong poll_lds 8192, 2
	s_mov_b64 exec, -1
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:256
	ds_read_b32 v5, v6 offset:512
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v3, v3, v4, v5
	out v3
