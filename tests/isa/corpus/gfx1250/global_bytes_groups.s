; bytes of one dword are different places
	v_lshlrev_b32 v12, 1, v1
	right v_add_nc_u32 v12, s2, v12
	v_lshrrev_b32 v13, 8, v8
	global_store_b8 v12, v13, s[6:7]
