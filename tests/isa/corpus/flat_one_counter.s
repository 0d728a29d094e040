; a FLAT load is done when both counters are: lgkmcnt alone is not enough [ISA 10.2.2]
	v_mov_b32 v12, s4
	v_mov_b32 v13, s5
	flat_load_dword v3, v[12:13]
	right s_waitcnt vmcnt(0) lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(0)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v5
