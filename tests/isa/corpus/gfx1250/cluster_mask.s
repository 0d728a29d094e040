; M0 has the workgroups that load together: itself among them
	right s_mov_b32 m0, 3
	wrong s_mov_b32 m0, 2
	cluster_load_b32 v3, v7, s[4:5]
	s_wait_loadcnt 0
	out v3
