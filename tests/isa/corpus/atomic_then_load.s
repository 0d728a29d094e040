; a wave's atomic and its later load of the same dword are in order; another wave's load is not
	global_atomic_add v7, v11, s[8:9]
	.if WRONG
	v_xor_b32 v12, 0x100, v7
	.else
	v_mov_b32 v12, v7
	.endif
	global_load_dword v3, v12, s[8:9]
	s_waitcnt vmcnt(0)
	out v3
