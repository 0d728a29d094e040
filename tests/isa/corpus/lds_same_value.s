; two waves write to the same LDS without order: harmless where the values are the same
	right ds_write_b32 v6, v6
	wrong ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
