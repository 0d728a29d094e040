; a FLAT store to LDS is waited for before the arrival of copies, which does not follow it
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	s_mov_b64 s[20:21], src_shared_base
	v_mov_b32 v20, v6
	v_mov_b32 v21, s21
	flat_store_b32 v[20:21], v7
	right s_wait_dscnt 0
	s_mov_b32 exec_lo, 1
	ds_atomic_async_barrier_arrive_b64 v10 offset:8192
	s_wait_asynccnt 0
	s_endpgm
1:	await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
