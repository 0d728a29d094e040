; a block stores a register that was never written
	v_lshlrev_b32 v20, 7, v1
	v_mov_b32 v40, v1
	right s_mov_b32 m0, 0x1
	wrong s_mov_b32 m0, 0x3
	global_store_block v20, v[40:71], s[6:7]
