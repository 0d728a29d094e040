; v_readfirstlane takes the first active lane, whatever lanes do not exist
	v_readfirstlane_b32 s28, v7
	s_nop 3
	v_mov_b32 v4, s28
	out v4
