; an atomic that returns counts in loadcnt
	global_atomic_add_u32 v3, v6, v11, s[8:9] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
	right s_wait_loadcnt 0
	wrong s_wait_storecnt 0
	out v3
