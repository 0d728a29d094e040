; a buffer atomic with sc0 returns into its data register: vmcnt(1) after a later load covers it
	v_mov_b32 v3, v11
	buffer_load_dword v4, v6, s[16:19], 0 offen
	buffer_atomic_add v3, v7, s[20:23], 0 offen sc0
	buffer_load_dword v5, v6, s[16:19], 0 offen offset:4
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(2)
	global_store_dword v7, v3, s[8:9]
	s_waitcnt vmcnt(0)
