; a load of two places: the second is the other wave's
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	right barrier
	ds_load_2addr_b32 v[20:21], v6 offset0:0 offset1:32
	s_wait_dscnt 0
	v_add_nc_u32 v3, v20, v21
	out v3
