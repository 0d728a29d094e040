; order is transitive: wave 1 hands on what it waited for; without its wait it hands on nothing
	clear_flags
	wave 0, 1f
	wave 1, 2f
	poll_lds 8196, 1
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
1:	ds_write_b32 v6, v7
	ds_write_b32 v10, v11 offset:8192
	s_endpgm
2:
	right poll_lds 8192, 1
	ds_write_b32 v10, v11 offset:8196
