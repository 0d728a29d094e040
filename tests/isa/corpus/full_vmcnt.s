; of 70 loads the 70th cannot issue before the 7th has returned: vmcnt has 6 bits and counts in order [ISA table 2, 4.4]
	.set n, 0
	.rept 70
	global_load_dword v[20+n], v6, s[4:5] offset:4*n
	.set n, n+1
	.endr
	right v_mov_b32 v5, v26
	wrong v_mov_b32 v5, v27
	s_waitcnt vmcnt(0)
	out v5
