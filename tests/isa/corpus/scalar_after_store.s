; the scalar cache does not see a vector store of the same launch [ISA 9.1.10, LLVM gfx942]
	right s_load_dword s28, s[6:7], 0
	right s_waitcnt lgkmcnt(0)
	global_store_dword v6, v7, s[6:7]
	s_waitcnt vmcnt(0)
	wrong s_load_dword s28, s[6:7], 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, s28
	global_store_dword v8, v3, s[6:7] offset:1024
