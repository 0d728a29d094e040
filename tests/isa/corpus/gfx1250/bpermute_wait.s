; a permutation through LDS counts in dscnt
	v_xor_b32 v12, 4, v6
	ds_bpermute_b32 v3, v12, v7
	right s_wait_dscnt 0
	wrong s_wait_loadcnt 0
	out v3
