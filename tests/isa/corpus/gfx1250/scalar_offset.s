; the offset of a scalar load is in flight
	s_load_b32 s20, s[8:9], 0
	right s_wait_kmcnt 0
	s_load_b32 s21, s[4:5], s20 offset:0
	s_wait_kmcnt 0
	v_mov_b32 v3, s21
	out v3
