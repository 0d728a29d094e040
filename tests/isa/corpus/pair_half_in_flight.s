; the upper half of a pair that is stored is still being loaded
	v_lshlrev_b32 v12, 3, v0
	v_mov_b32 v20, v7
	global_load_dword v21, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	global_store_dwordx2 v12, v[20:21], s[6:7]
