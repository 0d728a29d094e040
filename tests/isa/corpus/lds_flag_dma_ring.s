; a flag counts tiles of LDS-DMA: with one newer in flight vmcnt(1) covers this tile
	clear_flags
	wave 0, 1f
	.set n, 0
	.rept 3
	poll_lds 8192, n+1
	ds_read_b32 v[20+n], v6 offset:n*256
	.set n, n+1
	.endr
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, v20, v21
	v_xor_b32 v3, v3, v22
	out v3
	s_endpgm
1:	s_mov_b32 m0, 0
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_movk_i32 m0, 256
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	ds_add_u32 v10, v11 offset:8196
	v_mov_b32 v14, 1
	ds_write_b32 v10, v14 offset:8192
	s_movk_i32 m0, 512
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	v_mov_b32 v14, 2
	ds_write_b32 v10, v14 offset:8192
	s_waitcnt vmcnt(0)
	v_mov_b32 v14, 3
	ds_write_b32 v10, v14 offset:8192
