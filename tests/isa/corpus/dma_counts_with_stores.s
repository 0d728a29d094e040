; a store that was issued after LDS-DMA counts in vmcnt: vmcnt(1) covers the DMA, vmcnt(2) does not
	s_lshl_b32 m0, s12, 8
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	out v7
	right s_waitcnt vmcnt(1)
	wrong s_waitcnt vmcnt(2)
	s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	global_store_dword v8, v3, s[6:7] offset:1024
