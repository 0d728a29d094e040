; two stores to the same bytes, a barrier between them: the first must be waited for
	wave 1, 1f
	global_store_b32 v6, v7, s[6:7]
	right s_wait_storecnt 0
	barrier
	s_endpgm
1:	barrier
	global_store_b32 v6, v8, s[6:7]
