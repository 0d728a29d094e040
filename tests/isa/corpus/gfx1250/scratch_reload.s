; a spilled register is used before it is back
	scratch_store_b32 off, v7, off
	scratch_load_b32 v3, off, off
	right s_wait_loadcnt 0
	out v3
