; a load into B of a WMMA that has issued; the next WMMA that takes it must wait
	operands
	v_wmma_f32_16x16x32_bf16 v[80:87], v[20:27], v[40:47], v[80:87]
	.rept 8
	v_nop
	.endr
	global_load_b128 v[40:43], v10, s[4:5]
	global_load_b128 v[44:47], v10, s[4:5] offset:16
	right s_wait_loadcnt 0
	wrong s_wait_loadcnt 1
	v_wmma_f32_16x16x32_bf16 v[80:87], v[20:27], v[40:47], v[80:87]
	.rept 8
	v_nop
	.endr
	out v80
	s_wait_loadcnt 0
