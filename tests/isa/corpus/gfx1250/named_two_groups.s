; two pairs of waves, each with its named barrier: a wave that reads the other pair's data needs more
	s_mov_b32 m0, 0x20001
	s_lshr_b32 s20, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 1f
	s_barrier_init m0
	s_mov_b32 m0, 0x20002
	s_barrier_init m0
	s_wait_kmcnt 0
1:	barrier
	s_cmp_eq_u32 s20, 1
	s_cbranch_scc1 2f
	s_barrier_join 1
	s_branch 3f
2:	s_barrier_join 2
3:	barrier
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	s_cmp_eq_u32 s20, 1
	s_cbranch_scc1 4f
	s_barrier_signal 1
	s_branch 5f
4:	s_barrier_signal 2
5:	s_barrier_wait 1
	right v_xor_b32 v12, 0x80, v7
	wrong v_xor_b32 v12, 0x100, v7
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
