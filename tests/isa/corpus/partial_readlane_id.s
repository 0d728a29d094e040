; v_readlane of a lane that does not exist reads a VGPR0 that nothing initialised [ISA 3.13 names work-items]
	right v_readlane_b32 s28, v0, 20
	wrong v_readlane_b32 s28, v0, 40
	s_nop 3
	v_mov_b32 v4, s28
	out v4
