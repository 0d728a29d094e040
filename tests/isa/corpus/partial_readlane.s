; v_readlane ignores EXEC: lane 40 of a wave of 32 work-items was never written
	v_mov_b32 v3, v7
	s_nop 1
	right v_readlane_b32 s28, v3, 20
	wrong v_readlane_b32 s28, v3, 40
	s_nop 3
	v_mov_b32 v4, s28
	out v4
