; a transposing read takes bytes of 16 lanes' addresses: half of them lie in what the other wave writes
	v_lshlrev_b32 v12, 3, v0
	ds_write_b64 v12, v[6:7]
	s_waitcnt lgkmcnt(0)
	right s_barrier
	v_add_u32 v13, 64, v12
	v_and_b32 v13, 0x3f8, v13
	ds_read_b64_tr_b16 v[20:21], v13
	s_waitcnt lgkmcnt(0)
	out v20
