; a FLAT load from LDS counts in loadcnt and dscnt, and its value comes with the latter
	s_mov_b64 s[28:29], src_shared_base
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	v_mov_b32 v12, v7
	v_mov_b32 v13, s29
	flat_load_b32 v3, v[12:13]
	right s_wait_loadcnt_dscnt 0
	wrong s_wait_loadcnt 0
	out v3
	s_wait_loadcnt_dscnt 0
