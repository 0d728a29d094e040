; the second half of a dual instruction reads a register that nothing wrote
	v_mov_b32 v3, v7
	right v_mov_b32 v13, v7
	v_dual_add_f32 v20, v3, v3 :: v_dual_add_f32 v21, v13, v13
	out v21
