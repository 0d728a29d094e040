; LDS that nothing wrote
	right ds_write_b32 v6, v7
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
