; a flag of workgroup scope between workgroups: polled without sc1 it may come from this L1 for ever [LLVM gfx942]
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	buffer_wbl2 sc1
	s_waitcnt vmcnt(0)
	right global_store_dword v10, v11, s[8:9] sc1
	wrong global_store_dword v10, v11, s[8:9]
	s_endpgm
1:
	right global_load_dword v13, v10, s[8:9] sc1
	wrong global_load_dword v13, v10, s[8:9]
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s30, v13
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 1b
	buffer_inv sc1
	global_load_dword v3, v6, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v8, v3, s[6:7]
