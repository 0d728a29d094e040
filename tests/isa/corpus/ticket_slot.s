; each workgroup takes a slot by ticket: what all store alike is the same in any order, their numbers are not
	s_mov_b64 exec, 1
	global_atomic_add v3, v10, v11, s[8:9] sc0 sc1
	s_waitcnt vmcnt(0)
	s_mov_b64 exec, -1
	v_readfirstlane_b32 s30, v3
	s_lshl_b32 s30, s30, 8
	v_add_u32 v12, s30, v6
	right v_mov_b32 v4, v6
	wrong v_mov_b32 v4, s2
	global_store_dword v12, v4, s[6:7]
