; LDS past the allocation
	v_add_u32 v12, 0x3f80, v6
	right v_subrev_u32 v12, 128, v12
	ds_write_b32 v12, v7
