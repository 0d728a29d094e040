; VALU writes what v_readlane reads: 1 [ISA table 11]
	v_add_u32 v3, 3, v7
	right s_nop 0
	v_readlane_b32 s29, v3, 5
	s_nop 3
	v_mov_b32 v3, s29
	out v3
