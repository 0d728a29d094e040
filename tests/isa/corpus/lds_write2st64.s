; the second place of ds_write2st64 is offset1 * 64 dwords on: with 1 wave 0 writes where wave 1 does
	wave 1, 1f
	right ds_write2st64_b32 v6, v7, v11 offset0:0 offset1:2
	wrong ds_write2st64_b32 v6, v7, v11 offset0:0 offset1:1
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
1:	ds_write_b32 v6, v7 offset:256
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v6 offset:256
	s_waitcnt lgkmcnt(0)
	out v3
