; 16 bytes of a lane reach into the next lane's place of the other wave
	v_lshlrev_b32 v12, 4, v0
	v_dual_mov_b32 v20, v7 :: v_dual_mov_b32 v21, v7
	v_dual_mov_b32 v22, v7 :: v_dual_mov_b32 v23, v7
	wrong v_lshl_add_u32 v12, v2, 3, v12
	wrong v_add_nc_u32 v12, v12, v2
	right v_add_nc_u32 v12, v12, v10
	wrong v_sub_nc_u32 v12, v12, v2
	wrong wave 1, 1f
	wrong v_add_nc_u32 v12, 16, v12
1:	ds_store_b128 v12, v[20:23]
	s_wait_dscnt 0
