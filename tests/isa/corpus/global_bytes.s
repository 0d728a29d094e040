; two workgroups write alternate bytes; a short covers the neighbour's byte
	v_lshlrev_b32 v12, 1, v1
	v_add_u32 v12, s2, v12
	group 1, 1f
	right global_store_byte v12, v7, s[6:7]
	wrong global_store_short v12, v7, s[6:7]
	s_endpgm
1:	global_store_byte v12, v11, s[6:7]
