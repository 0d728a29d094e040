; a branch is one wait state, not two
	operands
	v_mov_b32 v20, v7
	right s_nop 0
	s_branch 1f
	s_nop 7
1:	v_mfma_f32_16x16x16_f16 v[40:43], v[20:21], v[22:23], v[44:47]
	s_nop 15
	out v40
