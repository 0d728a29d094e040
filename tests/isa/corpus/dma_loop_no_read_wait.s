; a pipelined loop's reads must return before the barrier that lets the next DMA overwrite the slot
	v_xor_b32 v12, 0x100, v7
	v_mov_b32 v5, 0
	v_mov_b32 v14, v7
	s_lshl_b32 s31, s12, 8
	s_mov_b32 m0, s31
	s_mov_b32 s28, 4
	s_nop 4
1:	buffer_load_dword v14, s[16:19], 0 offen lds
	s_waitcnt vmcnt(0)
	s_barrier
	ds_read_b32 v3, v12
	right s_waitcnt lgkmcnt(0)
	s_barrier
	wrong s_waitcnt lgkmcnt(0)
	v_xor_b32 v5, v5, v3
	v_add_u32 v14, 0x200, v14
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	out v5
