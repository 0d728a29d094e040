; workgroups have no order
	right global_store_b32 v8, v7, s[6:7]
	wrong global_store_b32 v7, v8, s[6:7]
