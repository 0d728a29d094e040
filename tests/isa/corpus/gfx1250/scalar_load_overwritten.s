; a scalar load lands over a later result
	s_load_b32 s20, s[4:5], 0
	right s_wait_kmcnt 0
	s_mov_b32 s20, 5
	s_wait_kmcnt 0
	v_mov_b32 v3, s20
	out v3
