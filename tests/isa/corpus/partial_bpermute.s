; ds_bpermute of a disabled lane returns 0 [ISA ds_bpermute]
	v_add_u32 v12, 64, v6
	v_mov_b32 v3, v7
	ds_bpermute_b32 v4, v12, v3
	s_waitcnt lgkmcnt(0)
	out v4
