; two workgroups store the same value, and one reads it before
	right v_mov_b32 v12, v8
	wrong v_mov_b32 v12, v6
	wrong global_load_b32 v3, v12, s[6:7]
	global_store_b32 v12, v6, s[6:7]
	wrong s_wait_loadcnt 0
	wrong global_store_b32 v8, v3, s[6:7] offset:2048
