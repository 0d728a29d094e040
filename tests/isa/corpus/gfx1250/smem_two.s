; scalar loads return in any order: kmcnt 1 covers neither
	s_load_b32 s20, s[4:5], 0
	s_load_b32 s21, s[4:5], 64
	right s_wait_kmcnt 0
	wrong s_wait_kmcnt 1
	v_mov_b32 v3, s20
	out v3
	s_wait_kmcnt 0
