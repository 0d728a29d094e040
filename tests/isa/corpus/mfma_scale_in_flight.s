; the scale of a scaled MFMA is still being loaded
	operands
	global_load_dword v51, v6, s[4:5]
	right s_waitcnt vmcnt(0)
	v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[20:27], v[28:35], v[44:47], v50, v51 op_sel_hi:[0,0,0]
	s_nop 15
	s_waitcnt vmcnt(0)
	out v40
