; a transposing global load counts in loadcnt: of two, loadcnt 1 covers the first alone
	v_lshlrev_b32 v12, 4, v1
	global_load_tr16_b128 v[20:23], v12, s[4:5]
	global_load_tr16_b128 v[24:27], v12, s[4:5] offset:512
	right s_wait_loadcnt 0
	wrong s_wait_loadcnt 1
	v_add_nc_u32 v3, v20, v27
	out v3
	s_wait_loadcnt 0
