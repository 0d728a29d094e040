; one barrier an iteration is enough with two buffers, not with one
	v_xor_b32 v12, 0x100, v7
	v_mov_b32 v5, 0
	.set n, 0
	.rept 4
	right ds_write_b32 v7, v5 offset:(n&1)*512
	wrong ds_write_b32 v7, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	right ds_read_b32 v3, v12 offset:(n&1)*512
	wrong ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	v_add3_u32 v5, v5, v3, v7
	.set n, n+1
	.endr
	out v5
