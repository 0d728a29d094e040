; scratch is each lane's own: the same offset is no conflict
	v_add_u32 v3, s2, v7
	scratch_store_dword off, v3, off offset:4
	v_mov_b32 v3, 0
	scratch_load_dword v3, off, off offset:4
	s_waitcnt vmcnt(0)
	out v3
