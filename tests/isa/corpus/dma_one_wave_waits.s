; each wave must wait for its own LDS-DMA before the barrier
	s_lshl_b32 m0, s12, 8
	s_nop 4
	buffer_load_dword v7, s[16:19], 0 offen lds
	right s_nop 0
	wrong wave 1, 1f
	s_waitcnt vmcnt(0)
1:	s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt vmcnt(0) lgkmcnt(0)
	out v3
