; two loads fill the halves of a register: both must have landed
	v_mov_b32 v3, 0
	global_load_short_d16 v3, v6, s[4:5]
	global_load_short_d16_hi v3, v6, s[4:5] offset:4
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(1)
	out v3
	s_waitcnt vmcnt(0)
