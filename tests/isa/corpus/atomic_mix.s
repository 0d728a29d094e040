; addition and maximum of two workgroups do not commute
	group 1, 1f
	global_atomic_umax v6, v7, s[6:7]
	s_endpgm
1:	right global_atomic_umax v6, v8, s[6:7]
	wrong global_atomic_add v6, v8, s[6:7]
