; VALU writes an SGPR that a VALU reads as a constant: 2 [ISA table 11]
	v_readfirstlane_b32 s28, v7
	right s_nop 1
	wrong s_nop 0
	v_add_u32 v3, s28, v7
	out v3
