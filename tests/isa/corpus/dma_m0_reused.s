; M0 is free once LDS-DMA has been issued [ISA 10.3]
	s_mov_b32 m0, 0
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_movk_i32 m0, 256
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_mov_b32 m0, 0x8000
	s_waitcnt vmcnt(0)
	ds_read_b32 v3, v6
	ds_read_b32 v4, v6 offset:256
	s_waitcnt lgkmcnt(0)
	v_add_u32 v3, v3, v4
	out v3
