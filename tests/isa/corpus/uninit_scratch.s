; scratch that nothing wrote
	right scratch_store_dword off, v7, off offset:16
	scratch_load_dword v3, off, off offset:16
	s_waitcnt vmcnt(0)
	out v3
