; a matrix instruction reads A while its last registers are loaded
	operands
	ds_store_b32 v6, v7
	ds_load_b32 v3, v6
	ds_load_b32 v27, v6
	right s_wait_dscnt 0
	wrong s_wait_dscnt 1
	v_wmma_f32_16x16x32_f16 v[40:47], v[20:27], v[30:37], v[40:47]
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	v_nop
	s_wait_dscnt 0
	v_add_nc_u32 v3, v3, v40
	out v3
