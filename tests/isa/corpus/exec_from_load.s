; EXEC is made of an SGPR pair that a scalar load is to write
	s_mov_b64 s[28:29], -1
	s_load_dwordx2 s[28:29], s[4:5], 0
	right s_waitcnt lgkmcnt(0)
	s_and_b64 exec, exec, s[28:29]
	out v7
	s_waitcnt lgkmcnt(0)
