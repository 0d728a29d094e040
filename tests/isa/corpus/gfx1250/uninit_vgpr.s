; a register that nothing wrote
	right v_mov_b32 v3, v7
	out v3
