; a mask that is in flight selects
	s_load_b32 vcc_lo, s[4:5], 0
	right s_wait_kmcnt 0
	v_cndmask_b32 v3, v6, v7, vcc_lo
	out v3
