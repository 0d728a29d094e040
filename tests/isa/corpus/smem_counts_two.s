; a scalar load of two dwords counts 2, so that lgkmcnt(2) need not wait for the LDS read before it [ISA 4.4]
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v3, v6
	s_load_dwordx2 s[28:29], s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(2)
	v_mov_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	out v5
