; LDS returns in order: dscnt 1 covers the first of two
	ds_store_b32 v6, v7
	ds_store_b32 v6, v7 offset:512
	ds_load_b32 v3, v6
	ds_load_b32 v4, v6 offset:512
	s_wait_dscnt 1
	right out v3
	wrong out v4
	s_wait_dscnt 0
