; the second WMMA takes A from the first one's operand cache: it must not have changed since
	operands
	v_wmma_f32_16x16x32_bf16 v[80:87], v[20:27], v[40:47], v[80:87]
	.rept 8
	v_nop
	.endr
	wrong v_mov_b32 v20, v7
	.rept 8
	v_nop
	.endr
	v_wmma_f32_16x16x32_bf16 v[88:95], v[20:27], v[48:55], v[88:95] matrix_a_reuse
	.rept 8
	v_nop
	.endr
	out v88
