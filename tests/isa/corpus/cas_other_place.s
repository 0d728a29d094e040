; a compare-and-swap loop verifies only what it compares: the loaded value, at the address of the load
	v_mov_b32 v12, 0
	global_load_dword v14, v12, s[8:9]
	s_mov_b64 s[30:31], 0
	s_waitcnt vmcnt(0)
1:	v_add_u32 v16, v14, v11
	right v_mov_b32 v17, v14
	wrong v_add_u32 v17, v14, v12
	global_atomic_cmpswap v16, v12, v[16:17], s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32 vcc, v16, v14
	s_or_b64 s[30:31], vcc, s[30:31]
	v_mov_b32 v14, v16
	s_andn2_b64 exec, exec, s[30:31]
	s_cbranch_execnz 1b
