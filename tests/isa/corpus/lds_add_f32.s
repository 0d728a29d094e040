; float additions round in some order; an integer minimum has one result
	ds_write_b32 v7, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cvt_f32_u32 v3, v7
	v_rcp_f32 v3, v3
	s_nop 1
	right ds_min_u32 v10, v3
	wrong ds_add_f32 v10, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v3, v10
	s_waitcnt lgkmcnt(0)
	out v3
