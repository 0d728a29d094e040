; ds_bpermute counts in lgkmcnt [ISA 11.3]
	ds_bpermute_b32 v3, v6, v7
	right s_waitcnt lgkmcnt(0)
	v_mov_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	out v5
