; integer additions of workgroups commute; a store among them does not
	wrong group 3, 1f
	global_atomic_add v6, v7, s[6:7]
	s_endpgm
1:	global_store_dword v6, v7, s[6:7]
