; a load into an AGPR counts in vmcnt as one into a VGPR
	v_accvgpr_write_b32 a5, v7
	global_load_dword a4, v6, s[4:5]
	global_load_dword a5, v6, s[4:5] offset:4
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt vmcnt(1)
	v_accvgpr_read_b32 v3, a5
	out v3
	s_waitcnt vmcnt(0)
