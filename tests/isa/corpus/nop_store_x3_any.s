; a load may overwrite the data of a x3 store after 1 wait state; a VALU after 2 [ISA table 11]
	v_lshlrev_b32 v12, 4, v0
	v_mov_b32 v20, v7
	v_mov_b32 v21, v7
	v_mov_b32 v22, v7
	global_store_dwordx3 v12, v[20:22], s[6:7]
	right s_nop 1
	v_add_u32 v22, 1, v7
	global_store_dword v12, v22, s[6:7] offset:2048
