; VALU writes the SGPR base of a global load: 5 [ISA table 11]
	v_readfirstlane_b32 s28, v10
	s_mov_b64 s[30:31], s[4:5]
	v_readlane_b32 s29, v10, 0
	s_nop 0
	v_readfirstlane_b32 s30, v10
	s_nop 0
	s_mov_b64 s[30:31], s[4:5]
	v_mov_b32 v12, s4
	s_nop 0
	v_readfirstlane_b32 s30, v12
	right s_nop 4
	wrong s_nop 2
	global_load_dword v3, v6, s[30:31]
	s_waitcnt vmcnt(0)
	out v3
