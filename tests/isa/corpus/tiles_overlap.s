; a tile of 256 bytes with a pitch of 252
	right s_movk_i32 s28, 256
	wrong s_movk_i32 s28, 252
	s_mul_i32 s28, s28, s2
	v_add_u32 v12, s28, v6
	v_add_u32 v3, s2, v7
	global_store_dword v12, v3, s[6:7]
