; a prefetch of bytes that the other workgroup stores brings nothing into a register
	group 1, 1f
	global_prefetch_b8 v6, s[6:7] offset:4096
	s_prefetch_data s[6:7], 4096, null, 0
	wrong global_load_b32 v7, v6, s[6:7] offset:4096
	s_wait_loadcnt 0
	out v7
	s_endpgm
1:	out v7
