; VALU writes an SGPR that VMEM reads: 5 [ISA table 11]
	v_readfirstlane_b32 s28, v6
	right s_nop 4
	wrong s_nop 3
	buffer_load_dword v3, v6, s[16:19], s28 offen
	s_waitcnt vmcnt(0)
	out v3
