; v_readlane of a lane that EXEC masked off when the register was written
	s_mov_b32 s28, -1
	s_mov_b32 s29, 0
	right v_mov_b32 v3, v6
	s_mov_b64 exec, s[28:29]
	v_mov_b32 v3, v7
	s_nop 1
	v_readlane_b32 s30, v3, 40
	s_nop 3
	v_mov_b32 v4, s30
	out v4
