; a branch on a VCC that nothing wrote
	right s_mov_b64 vcc, 0
	s_cbranch_vccz 1f
	out v7
	s_endpgm
1:	out v6
