; lanes past the end of OUT are masked off
	v_add_u32 v12, 0x3f80, v6
	s_movk_i32 s28, 0x4000
	right v_cmp_gt_u32 vcc, s28, v12
	right s_and_b64 exec, exec, vcc
	global_store_dword v12, v7, s[6:7]
