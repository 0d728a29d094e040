; the data register of a returning atomic is its result: a result of the vector ALU in between is lost
	v_mov_b32 v3, v11
	global_atomic_add v3, v7, v3, s[8:9] sc0
	right s_waitcnt vmcnt(0)
	v_mov_b32 v3, v7
	s_waitcnt vmcnt(0)
	out v3
