; addition and maximum of two waves do not commute
	ds_write_b32 v7, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	wave 1, 1f
	ds_add_u32 v10, v7
	s_branch 2f
1:	right ds_add_u32 v10, v7
	wrong ds_max_u32 v10, v7
2:	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v10
	s_waitcnt lgkmcnt(0)
	out v3
