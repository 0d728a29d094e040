; a compare-and-swap loop as LLVM makes of an atomic: the plain load is verified, unless it decides or is stored before
	v_mov_b32 v12, 0
	global_load_dword v14, v12, s[8:9]
	s_mov_b64 s[30:31], 0
	s_waitcnt vmcnt(0)
	wrong global_store_dword v8, v14, s[6:7]
1:	v_add_f32 v13, v14, v11
	s_waitcnt vmcnt(0)
	v_mov_b32 v16, v13
	v_mov_b32 v17, v14
	global_atomic_cmpswap v16, v12, v[16:17], s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32 vcc, v16, v14
	s_or_b64 s[30:31], vcc, s[30:31]
	v_mov_b32 v14, v16
	s_andn2_b64 exec, exec, s[30:31]
	s_cbranch_execnz 1b
