; a transposing load reads what lanes of the other wave stored
	v_lshlrev_b32 v12, 4, v0
	v_dual_mov_b32 v20, v7 :: v_dual_mov_b32 v21, v7
	v_dual_mov_b32 v22, v7 :: v_dual_mov_b32 v23, v7
	ds_store_b128 v12, v[20:23]
	s_wait_dscnt 0
	right barrier
	v_xor_b32 v12, 0x200, v12
	ds_load_tr16_b128 v[24:27], v12
	s_wait_dscnt 0
	out v24
