; additions of bf16 pairs of three workgroups
	v_mov_b32 v3, 0x3f813f82
	v_add_nc_u32 v3, s2, v3
	wrong global_atomic_pk_add_bf16 v6, v3, s[8:9]
	right global_atomic_max_u32 v6, v3, s[8:9]
