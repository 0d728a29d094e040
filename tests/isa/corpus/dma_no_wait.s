; LDS-DMA counts in vmcnt: lgkmcnt(0) before the barrier does not cover it [ISA 9.1.9]
	s_lshl_b32 m0, s12, 8
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	right s_waitcnt vmcnt(0)
	wrong s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
