; whether an atomic comes before a store of agent scope decides what is left
	group 1, 1f
	global_atomic_add v7, v7, s[8:9]
	s_endpgm
1:	wrong global_store_dword v7, v1, s[8:9] sc1
	right global_store_dword v7, v1, s[8:9] offset:256 sc1
