; a branch on a clock decides what is stored [ISA 8.2.4]
	s_memtime s[28:29]
	s_waitcnt lgkmcnt(0)
	right s_mov_b32 s28, 64
	v_mov_b32 v3, v7
	s_bitcmp1_b32 s28, 6
	s_cbranch_scc0 1f
	v_mov_b32 v3, v6
1:	out v3
