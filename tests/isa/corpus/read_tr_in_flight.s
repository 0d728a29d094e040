; a transposing read counts in lgkmcnt: of two, lgkmcnt(1) covers the first alone
	v_lshlrev_b32 v12, 3, v1
	v_mov_b32 v3, v7
	ds_write_b64 v12, v[6:7]
	ds_write_b64 v12, v[6:7] offset:512
	s_waitcnt lgkmcnt(0)
	ds_read_b64_tr_b16 v[20:21], v12
	ds_read_b64_tr_b16 v[22:23], v12 offset:512
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	v_add_u32 v3, v20, v23
	out v3
	s_waitcnt lgkmcnt(0)
