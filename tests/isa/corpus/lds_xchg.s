; which of two exchanged values stays depends on the order of waves
	ds_write_b32 v7, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	right ds_wrxchg_rtn_b32 v3, v7, v0
	wrong ds_wrxchg_rtn_b32 v3, v6, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v7
	s_waitcnt lgkmcnt(0)
	out v4
