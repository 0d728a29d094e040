; v_cmp writes SGPRs that v_cndmask reads as its mask: the rows of table 11 differ, constant 2, carry-in 0
	v_cmp_lt_u32 s[28:29], v1, v11
	right s_nop 1
	wrong s_nop 0
	v_and_b32 v3, s28, v7
	out v3
