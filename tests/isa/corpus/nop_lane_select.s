; VALU writes the SGPR that selects the lane of v_readlane: 4 [ISA table 11]
	v_readfirstlane_b32 s28, v11
	right s_nop 3
	wrong s_nop 2
	v_readlane_b32 s29, v7, s28
	s_nop 3
	v_mov_b32 v3, s29
	out v3
