; a clock that reaches the output differs from run to run [ISA 8.2.4]
	s_memtime s[28:29]
	s_waitcnt lgkmcnt(0)
	right s_mov_b32 s28, 0
	v_mov_b32 v3, s28
	out v3
