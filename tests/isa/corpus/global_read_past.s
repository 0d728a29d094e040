; a global load past the end of IN; a buffer load there returns 0 [ISA 9.1.5]
	v_add_u32 v12, 0x3f80, v6
	right buffer_load_dword v3, v12, s[16:19], 0 offen
	wrong global_load_dword v3, v12, s[4:5]
	s_waitcnt vmcnt(0)
	out v3
