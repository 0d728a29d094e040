; s_barrier drains nothing: the write may not be in LDS [ISA 4.3, 4.4]
	ds_write_b32 v7, v7
	right s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
