; another wave's LDS is read without a barrier [ISA 4.3]
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	right s_barrier
	v_xor_b32 v12, 0x100, v7
	wrong ds_write_b32 v7, v7 offset:2048
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
