; the next tile's write overtakes another wave's read
	v_xor_b32 v12, 0x100, v7
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	right s_barrier
	ds_write_b32 v7, v11
	out v3
