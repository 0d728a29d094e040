; a global load counts in loadcnt, not in dscnt [LLVM gfx12]
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	wrong s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v11
	out v3
