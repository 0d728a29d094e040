; packed bf16 additions round in the order of their arrival
	global_load_dword v3, v8, s[4:5]
	s_waitcnt vmcnt(0)
	v_and_b32 v3, 0x3fff3fff, v3
	right global_atomic_pk_add_bf16 v8, v3, s[8:9]
	wrong global_atomic_pk_add_bf16 v6, v3, s[8:9]
