; the old value of an addition
	v_mov_b32 v12, 0x400
	wave 1, 1f
	ds_store_b32 v12, v10
	s_wait_dscnt 0
1:	barrier
	wrong ds_add_rtn_u32 v3, v12, v11
	right ds_add_u32 v12, v11
	right v_mov_b32 v3, v7
	s_wait_dscnt 0
	out v3
