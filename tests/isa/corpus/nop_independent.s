; independent instructions are wait states, too
	operands
	v_mov_b32 v20, v7
	v_mov_b32 v90, v7
	right v_mov_b32 v91, v7
	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	s_nop 15
	out v40
