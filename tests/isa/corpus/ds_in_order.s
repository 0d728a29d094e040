; LDS operations return in order: lgkmcnt(1) covers the first of two [ISA 4.4]
	ds_write_b32 v6, v7
	ds_write_b32 v6, v6 offset:256
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:256
	right s_waitcnt lgkmcnt(1)
	wrong s_waitcnt lgkmcnt(2)
	v_mov_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v5, v5, v4
	out v5
