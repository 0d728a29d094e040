; a scratch load counts in loadcnt: dscnt 0 does not cover it
	scratch_store_b32 off, v7, off offset:16
	s_wait_storecnt 0
	scratch_load_b32 v3, off, off offset:16
	right s_wait_loadcnt 0
	wrong s_wait_dscnt 0
	out v3
	s_wait_loadcnt 0
