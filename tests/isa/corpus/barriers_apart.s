; waves meet at different s_barriers, which are counted: the second write is published by the second one [ISA 4.3]
	wave 1, 1f
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b32 v6, v7 offset:512
	s_waitcnt lgkmcnt(0)
	s_barrier
	out v7
	s_endpgm
1:	s_barrier
	right s_barrier
	ds_read_b32 v3, v6 offset:512
	s_waitcnt lgkmcnt(0)
	wrong s_barrier
	out v3
