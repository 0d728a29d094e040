; a flag of scalar memory that is read once; without GLC it is not coherent [ISA, fields of SMEM]
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	s_waitcnt vmcnt(0)
	s_mov_b32 s30, 1
	s_store_dword s30, s[8:9], 0 glc
	s_branch 2f
1:
	right s_load_dword s30, s[8:9], 0 glc
	wrong s_load_dword s30, s[8:9], 0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s30, 0
	s_cbranch_scc1 2f
	buffer_inv sc1
	global_load_dword v5, v6, s[6:7]
	s_waitcnt vmcnt(0)
	out v5
2:	s_nop 0
