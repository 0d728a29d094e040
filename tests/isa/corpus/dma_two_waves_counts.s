; each wave brings two tiles; after vmcnt(1) and a barrier the first tile of both is there, the second is not
	s_lshl_b32 s30, s12, 8
	s_mov_b32 m0, s30
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	buffer_load_dword v7, s[16:19], 0 offen offset:1024 lds
	s_waitcnt vmcnt(1)
	s_barrier
	v_xor_b32 v12, 0x100, v7
	right ds_read_b32 v3, v12
	wrong ds_read_b32 v3, v12 offset:1024
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v3
