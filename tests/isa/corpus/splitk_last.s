; the last of four splits adds up the partial sums; each must have landed before its ticket
	out v7
	buffer_wbl2 sc1
	right s_waitcnt vmcnt(0)
	s_mov_b64 exec, 1
	global_atomic_add v3, v10, v11, s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, -1
	v_readfirstlane_b32 s30, v3
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
