; only some lanes of the state that ends a poll are overwritten before all are stored
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 2
8:	barrier
	wave 1, 2f
	wave 2, 1f
	arrive 8192
	s_endpgm
2:	arrive 8192
	await_phase 8192, 1
	arrive 8192
	s_endpgm
1:	await_phase 8192, 1
	ds_bpermute_b32 v5, v10, v11
	wrong s_mov_b32 exec_lo, 0xff
	wrong s_or_b32 exec_lo, exec_lo, 0x100
	v_mov_b32 v24, 4
	s_mov_b32 exec_lo, -1
	s_wait_dscnt 0
	out v24
