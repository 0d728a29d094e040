; vmcnt(63) waits for nothing while at most 63 operations are outstanding
	.set n, 0
	.rept 10
	global_load_dword v[20+n], v6, s[4:5] offset:4*n
	.set n, n+1
	.endr
	right s_waitcnt vmcnt(9)
	wrong s_waitcnt vmcnt(63)
	out v20
	s_waitcnt vmcnt(0)
