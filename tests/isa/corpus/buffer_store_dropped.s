; a store beyond num_records writes nothing; within, two workgroups meet [ISA 9.1.5]
	right s_lshl_b32 s22, s2, 8
	v_add_u32 v3, s2, v7
	buffer_store_dword v3, v6, s[20:23], 0 offen
