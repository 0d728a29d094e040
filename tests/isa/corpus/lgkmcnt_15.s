; lgkmcnt(15) waits for nothing while at most 15 operations are outstanding
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	.set n, 0
	.rept 15
	ds_read_b32 v[20+n], v6
	.set n, n+1
	.endr
	right s_waitcnt lgkmcnt(14)
	wrong s_waitcnt lgkmcnt(15)
	out v20
	s_waitcnt lgkmcnt(0)
