; of lanes of one store that write other values to one address the manual says no order
	right global_store_dword v6, v7, s[6:7]
	wrong global_store_dword v10, v7, s[6:7]
