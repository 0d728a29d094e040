; a ticket that reaches the output depends on the order of workgroups
	s_mov_b64 exec, 1
	right global_atomic_add v10, v11, s[8:9]
	wrong global_atomic_add v3, v10, v11, s[8:9] sc0
	s_waitcnt vmcnt(0)
	right v_mov_b32 v3, 0
	out v3
