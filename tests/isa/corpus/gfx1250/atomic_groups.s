; additions of floats depend on their order, those of integers do not
	right global_atomic_add_u32 v6, v7, s[8:9]
	wrong v_cvt_f32_u32 v3, v8
	wrong v_mul_f32 v3, 0x3dcccccd, v3
	wrong global_atomic_add_f32 v6, v3, s[8:9]
