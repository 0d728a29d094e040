; time is no order
	global_load_b32 v3, v6, s[4:5]
	right s_wait_loadcnt 0
	wrong s_sleep 127
	out v3
