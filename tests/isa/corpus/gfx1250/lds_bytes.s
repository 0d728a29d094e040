; bytes of one dword are different places
	v_lshlrev_b32 v12, 1, v1
	v_lshlrev_b32 v13, 8, v10
	right v_lshl_add_u32 v12, v2, 0, v12
	ds_store_b8 v12, v7
	s_wait_dscnt 0
