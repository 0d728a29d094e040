; a branch on VCC that a scalar load is to write
	s_mov_b64 vcc, 0
	s_load_dwordx2 vcc, s[8:9], 0
	right s_waitcnt lgkmcnt(0)
	wrong s_nop 0
	s_cbranch_vccnz 1f
	out v7
1:	s_waitcnt lgkmcnt(0)
