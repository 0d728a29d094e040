; a store has read its one dword of data when it is issued; only x3 and x4 need wait states [ISA 4.5]
	v_mov_b32 v3, v7
	out v3
	v_mov_b32 v3, 0
	ds_write_b32 v6, v3
	v_mov_b32 v3, 5
	global_store_dword v8, v3, s[6:7] offset:1024
