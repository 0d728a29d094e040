; that workgroup 0 is short and workgroup 1 sleeps long orders nothing
	group 1, 1f
	global_store_dword v6, v7, s[6:7]
	s_endpgm
1:	s_sleep 127
	s_sleep 127
	right global_store_dword v6, v6, s[6:7] offset:256
	wrong global_store_dword v6, v6, s[6:7] offset:128
