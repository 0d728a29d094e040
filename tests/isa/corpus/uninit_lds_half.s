; a 16-bit write leaves the other half of a dword unwritten
	right ds_write_b32 v6, v7
	ds_write_b16 v6, v7
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
