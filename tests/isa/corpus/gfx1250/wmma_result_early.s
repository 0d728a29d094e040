; hardware does not wait for the result of a scaled WMMA [LLVM, gfx1250 co-execution]
	operands
	v_mov_b32 v3, 0
	v_mov_b32 v4, 0
	v_wmma_scale_f32_16x16x128_f8f6f4 v[80:87], v[20:35], v[40:55], v[80:87], v4, v3
	right v_nop
	right v_nop
	right v_nop
	right v_nop
	right v_nop
	right v_nop
	right v_nop
	right v_nop
	v_mov_b32 v5, v80
	out v5
