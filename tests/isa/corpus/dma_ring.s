; three slots, two tiles in flight: vmcnt(1) covers this tile, vmcnt(2) does not
	v_xor_b32 v12, 0x100, v7
	v_mov_b32 v5, 0
	s_lshl_b32 s31, s12, 8
	.set n, 0
	.rept 2
	s_add_u32 m0, s31, n*1024
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen offset:n*4 lds
	.set n, n+1
	.endr
	.set n, 0
	.rept 5
	.if n == 4
	s_waitcnt vmcnt(0)
	.else
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	.endif
	s_barrier
	ds_read_b32 v3, v12 offset:(n%3)*1024+4*n
	.if n < 3
	s_add_u32 m0, s31, ((n+2)%3)*1024
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen offset:(n+2)*4 lds
	.endif
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v5, v5, v3
	.set n, n+1
	.endr
	out v5
