; a wave that ended does not take part; its store is waited for by no one
	wave 2, 1f
	v_xor_b32 v12, 0x80, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	barrier
	right ds_load_b32 v3, v12
	wrong ds_load_b32 v3, v6 offset:256
	s_wait_dscnt 0
	out v3
	s_endpgm
1:	ds_store_b32 v7, v7
