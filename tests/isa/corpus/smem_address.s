; an address that a scalar load brings is used before it is there [ISA 8.3]
	s_mov_b64 s[28:29], 0
	s_load_dwordx2 s[28:29], s[0:1], 8
	right s_waitcnt lgkmcnt(0)
	wrong s_nop 0
	s_add_u32 s28, s28, 0
	s_addc_u32 s29, s29, 0
	s_waitcnt lgkmcnt(0)
	out v7
