; a wave's FLAT store to LDS and its LDS read take two ways: the read may come first [ISA 10.2]
	s_mov_b64 s[28:29], src_shared_base
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v12, v6
	v_mov_b32 v13, s29
	flat_store_dword v[12:13], v11
	right s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v3
