; a read in flight across the barrier meets the next tile's write [ISA 4.3, 4.4]
	v_xor_b32 v12, 0x100, v7
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v12
	right s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b32 v7, v11
	s_waitcnt lgkmcnt(0)
	out v3
