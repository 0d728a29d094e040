; the old value of an LDS atomic needs lgkmcnt [ISA 4.4]
	ds_write_b32 v6, v7
	ds_add_rtn_u32 v3, v6, v11
	right s_waitcnt lgkmcnt(0)
	v_mov_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	out v5
