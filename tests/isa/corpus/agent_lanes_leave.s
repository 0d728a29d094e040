; each lane waits for its own producer, and leaves the loop when that is done
	s_cmp_lg_u32 s2, 2
	s_cbranch_scc1 9f
	s_mov_b64 exec, 3
	s_mov_b64 s[28:29], exec
1:	global_load_dword v13, v6, s[8:9] sc1
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32 vcc, 0, v13
	s_and_b64 exec, exec, vcc
	s_cbranch_execnz 1b
	s_mov_b64 exec, s[28:29]
	buffer_inv sc1
	v_lshlrev_b32 v12, 12, v1
	right global_load_dword v3, v12, s[6:7]
	wrong global_load_dword v3, v12, s[6:7] offset:256
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
	s_endpgm
9:	s_lshl_b32 s28, s2, 2
	v_mov_b32 v12, s28
	global_store_dword v8, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	global_store_dword v12, v11, s[8:9] sc1
	wrong global_store_dword v8, v7, s[6:7] offset:256
