; LDS and scalar loads complete out of order: only lgkmcnt(0) covers the LDS read [ISA 4.4]
	ds_write_b32 v6, v7
	ds_read_b32 v3, v6
	s_load_dword s28, s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	v_mov_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	out v5
