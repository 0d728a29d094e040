; a tile's place comes from a ticket: which workgroup copies which tile must not show
	tile
	s_mov_b32 exec_lo, 1
	global_atomic_add_u32 v3, v10, v11, s[8:9] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	s_wait_loadcnt 0
	s_mov_b32 exec_lo, -1
	v_readfirstlane_b32 s20, v3
	s_lshl_b32 s20, s20, 8
	s_mov_b32 s21, 0
	s_add_nc_u64 s[38:39], s[38:39], s[20:21]
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v4, v6
	s_wait_dscnt 0
	v_add_nc_u32 v12, s20, v6
	right global_store_b32 v12, v4, s[6:7]
	wrong out v4
