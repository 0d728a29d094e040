; a grid barrier that counts on: the second round's target is twice the number of workgroups
	v_mov_b32 v5, v7
	.set n, 1
	.rept 2
	global_store_dword v8, v5, s[6:7] offset:512*n
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, 1
	global_atomic_add v10, v11, s[8:9] sc1
	s_mov_b64 exec, -1
	.if WRONG
	poll_agent 0, 2
	.else
	poll_agent 0, 2*n
	.endif
	buffer_inv sc1
	v_xor_b32 v12, 0x1000, v8
	global_load_dword v3, v12, s[6:7] offset:512*n
	s_waitcnt vmcnt(0)
	v_add_u32 v5, v5, v3
	.set n, n+1
	.endr
	out v5
