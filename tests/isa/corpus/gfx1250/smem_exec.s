; EXEC comes from a register that is in flight
	s_load_b32 s20, s[4:5], 0
	right s_wait_kmcnt 0
	s_mov_b32 exec_lo, s20
	out v7
