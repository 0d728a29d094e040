; FLAT stores through the aperture of scratch, which the wave reloads by a scratch instruction: both count in vmcnt, in order
	s_mov_b64 s[28:29], src_private_base
	v_mov_b32 v12, 16
	v_mov_b32 v13, s29
	scratch_store_dword off, v7, off offset:16
	s_waitcnt vmcnt(0)
	flat_store_dword v[12:13], v11
	s_waitcnt vmcnt(0) lgkmcnt(0)
	scratch_load_dword v3, off, off offset:16
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt lgkmcnt(0)
	out v3
	s_waitcnt vmcnt(0)
