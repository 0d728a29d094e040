; another wave reads a dword of memory that a block stores; one that it leaves out has no other access
	v_lshlrev_b32 v20, 7, v1
	wave 1, 1f
	v_mov_b32 v40, v1
	v_mov_b32 v42, v1
	s_mov_b32 m0, 0x5
	global_store_block v20, v[40:71], s[8:9]
	s_endpgm
1:	right global_load_b32 v3, v20, s[8:9] offset:4
	wrong global_load_b32 v3, v20, s[8:9] offset:8
	s_wait_loadcnt 0
	out v3
