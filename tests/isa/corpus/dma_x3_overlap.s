; LDS-DMA of 12 bytes a lane leaves the fourth dword of each lane free: a wave's slot has 1024 bytes, not 768 [ISA 9.1.9]
	right s_lshl_b32 s30, s12, 10
	wrong s_mul_i32 s30, s12, 768
	s_mov_b32 m0, s30
	v_mul_u32_u24 v12, 12, v0
	s_nop 4
	buffer_load_dwordx3 v12, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	v_lshl_add_u32 v13, v1, 4, s30
	ds_read_b32 v3, v13 offset:8
	s_waitcnt lgkmcnt(0)
	out v3
