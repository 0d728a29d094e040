; a long s_sleep is no barrier, and none beside a barrier
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	s_sleep 127
	right s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
