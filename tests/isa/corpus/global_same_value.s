; two workgroups write to the same place: harmless where the values are the same
	right global_store_dword v6, v6, s[6:7]
	wrong global_store_dword v6, v8, s[6:7]
