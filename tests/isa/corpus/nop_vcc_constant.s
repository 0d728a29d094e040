; v_cmp writes SGPRs that a VALU reads as a constant: 2 [ISA table 11]
	v_cmp_lt_u32 s[28:29], v1, v11
	right s_nop 1
	wrong s_nop 0
	v_and_b32 v3, s28, v7
	out v3
