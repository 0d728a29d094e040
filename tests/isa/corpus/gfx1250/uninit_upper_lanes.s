; a lane that does not exist is read
	v_mov_b32 v3, v7
	right v_readlane_b32 s20, v3, 15
	wrong v_readlane_b32 s20, v3, 16
	v_mov_b32 v4, s20
	out v4
