; a FLAT load counts in lgkmcnt too: lgkmcnt(1) after it proves nothing about an earlier LDS read [ISA 4.4]
	v_mov_b32 v12, s4
	v_mov_b32 v13, s5
	ds_write_b32 v6, v7
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v3, v6
	flat_load_dword v4, v[12:13]
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	v_mov_b32 v5, v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v5
