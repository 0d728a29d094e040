; two ors commute, an or and an and do not
	group 1, 1f
	global_atomic_or v6, v7, s[6:7]
	s_endpgm
1:	right global_atomic_or v6, v8, s[6:7]
	wrong global_atomic_and v6, v8, s[6:7]
