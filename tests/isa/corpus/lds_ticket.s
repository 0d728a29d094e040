; the old value of an atomic on a shared counter depends on the order of waves
	right v_mov_b32 v12, v7
	wrong v_mov_b32 v12, v10
	ds_write_b32 v7, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_add_rtn_u32 v3, v12, v11
	s_waitcnt lgkmcnt(0)
	out v3
