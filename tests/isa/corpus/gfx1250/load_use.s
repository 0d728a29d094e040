; a register is used while its load is in flight
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	out v3
