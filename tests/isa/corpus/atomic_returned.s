; the old value of an atomic lands like a load [ISA 4.4]
	global_atomic_add v3, v6, v11, s[8:9] sc0
	right s_waitcnt vmcnt(0)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0)
	out v5
