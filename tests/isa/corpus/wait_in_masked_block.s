; the wait stands in a block that a wave without lanes skips
	global_load_dword v3, v6, s[4:5]
	v_cmp_gt_u32 vcc, 64, v0
	s_and_saveexec_b64 s[28:29], vcc
	wrong s_cbranch_execz 1f
	s_waitcnt vmcnt(0)
1:	s_mov_b64 exec, s[28:29]
	s_nop 4
	out v3
	s_waitcnt vmcnt(0)
