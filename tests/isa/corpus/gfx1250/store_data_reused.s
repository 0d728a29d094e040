; a store has read its data before the next instruction overwrites them: no wait is needed
	v_mov_b32 v3, v7
	out v3
	v_mov_b32 v3, v6
