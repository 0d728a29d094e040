; two tiles in flight and one being read need three slots, not two
	v_xor_b32 v12, 0x100, v7
	v_mov_b32 v5, 0
	s_lshl_b32 s31, s12, 8
	.set slots, 3
	.if WRONG
	.set slots, 2
	.endif
	.set n, 0
	.rept 2
	s_add_u32 m0, s31, n*1024
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	.set n, n+1
	.endr
	.set n, 0
	.rept 5
	.if n == 4
	s_waitcnt vmcnt(0)
	.else
	s_waitcnt vmcnt(1)
	.endif
	s_barrier
	ds_read_b32 v3, v12 offset:(n%slots)*1024
	.if n < 3
	s_add_u32 m0, s31, ((n+2)%slots)*1024
	s_nop 4
	buffer_load_dword v7, s[20:23], 0 offen lds
	.endif
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v5, v5, v3
	.set n, n+1
	.endr
	global_store_dword v8, v5, s[8:9]
