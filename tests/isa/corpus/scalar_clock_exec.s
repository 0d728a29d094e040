; a clock makes EXEC: the lanes that store differ from run to run
	s_memrealtime s[28:29]
	s_waitcnt lgkmcnt(0)
	right s_mov_b64 s[28:29], -1
	s_or_b64 exec, s[28:29], 1
	s_nop 4
	out v7
