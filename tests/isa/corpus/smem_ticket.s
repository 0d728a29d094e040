; the last of four splits, by a ticket of scalar memory, reads the partial sums; each must have landed before its ticket
	out v7
	right s_waitcnt vmcnt(0)
	s_mov_b32 s30, 1
	s_atomic_add s30, s[8:9], 0 glc
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s30, 3
	s_cbranch_scc0 1f
	buffer_inv sc1
	v_mov_b32 v5, 0
	.set n, 0
	.rept 4
	v_add_u32 v12, n*0x1000, v6
	global_load_dword v4, v12, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32 v5, v5, v4
	.set n, n+1
	.endr
	global_store_dword v6, v5, s[8:9] offset:1024
1:	s_nop 0
