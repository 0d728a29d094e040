; a scratch load counts in vmcnt [ISA 10.5]
	scratch_store_dword off, v7, off offset:16
	v_mov_b32 v3, 0
	scratch_load_dword v3, off, off offset:16
	right s_waitcnt vmcnt(0)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0)
	out v5
