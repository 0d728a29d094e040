; after two FLAT loads only 0 is a sensible wait [ISA 10.2.1, 10.2.2]
	v_mov_b32 v12, s4
	v_mov_b32 v13, s5
	flat_load_dword v3, v[12:13]
	flat_load_dword v4, v[12:13] offset:64
	right s_waitcnt vmcnt(0) lgkmcnt(0)
	wrong s_waitcnt vmcnt(1) lgkmcnt(1)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_xor_b32 v5, v5, v4
	out v5
