; the same of a permutation through LDS
	v_mov_b32 v3, v1
	v_mov_b32 v4, v1
	v_mov_b32 v12, 80 - 64 * (1 - WRONG)
	s_mov_b32 exec_lo, 0xffffff00
	global_load_b32 v3, v7, s[4:5]
	s_mov_b32 exec_lo, 0xff
	ds_bpermute_fi_b32 v4, v12, v3
	s_wait_dscnt 0
	out v4
