; wave 1 ends after two tiles; the other goes on alone, and its barriers are satisfied [ISA 4.3]
	s_add_u32 s28, s12, 1
	s_lshl_b32 s28, s28, 1
	s_sub_u32 s28, 6, s28
	v_mov_b32 v5, 0
	v_xor_b32 v12, 0x100, v7
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	right s_barrier
1:	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	v_add_u32 v5, v5, v3
	s_barrier
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	out v5
