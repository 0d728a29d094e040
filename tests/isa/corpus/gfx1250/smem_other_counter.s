; scalar loads count in kmcnt
	s_load_b32 s20, s[4:5], 0
	right s_wait_kmcnt 0
	wrong s_wait_loadcnt 0
	wrong s_wait_dscnt 0
	v_mov_b32 v3, s20
	out v3
