; the barrier after the write of buffer i publishes it only if the write has landed; lgkmcnt(1) drains the older read alone [ISA 4.4]
	v_xor_b32 v12, 0x100, v7
	v_mov_b32 v5, 0
	s_mov_b32 s28, 6
	v_mov_b32 v14, v7
	v_mov_b32 v15, v12
	v_mov_b32 v3, 0
1:	ds_write_b32 v14, v7
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	s_barrier
	v_add_u32 v5, v5, v3
	ds_read_b32 v3, v15
	v_xor_b32 v14, 0x200, v14
	v_xor_b32 v15, 0x200, v15
	s_sub_u32 s28, s28, 1
	s_cmp_lg_u32 s28, 0
	s_cbranch_scc1 1b
	s_waitcnt lgkmcnt(0)
	v_add_u32 v5, v5, v3
	out v5
