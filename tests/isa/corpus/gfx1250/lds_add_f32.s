; float additions of two waves
	v_mov_b32 v12, 0x400
	v_cvt_f32_u32 v13, v0
	v_mul_f32 v13, 0x3dcccccd, v13
	wave 1, 1f
	ds_store_b32 v12, v10
	s_wait_dscnt 0
1:	barrier
	right ds_add_u32 v12, v7
	wrong ds_add_f32 v12, v13
	s_wait_dscnt 0
	barrier
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
