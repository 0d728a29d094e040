; float additions of workgroups round in the order of their arrival
	v_cvt_f32_u32 v3, v8
	v_rcp_f32 v3, v3
	s_nop 0
	right global_atomic_add_f32 v8, v3, s[8:9]
	wrong global_atomic_add_f32 v6, v3, s[8:9]
