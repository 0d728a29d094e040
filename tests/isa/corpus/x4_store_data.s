; a VALU overwrites the data of a x4 store: 2 wait states [ISA table 11]
	v_lshlrev_b32 v12, 4, v0
	v_mov_b32 v20, v7
	v_mov_b32 v21, v7
	v_mov_b32 v22, v7
	v_mov_b32 v23, v7
	global_store_dwordx4 v12, v[20:23], s[6:7]
	right s_nop 1
	wrong s_nop 0
	v_mov_b32 v20, 0
	global_store_dword v12, v20, s[6:7] offset:2048
