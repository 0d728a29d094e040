; a register is written under half of EXEC and stored under all of it
	s_mov_b32 s28, -1
	s_mov_b32 s29, 0
	s_mov_b64 exec, s[28:29]
	v_mov_b32 v3, v7
	wrong s_mov_b64 exec, -1
	out v3
