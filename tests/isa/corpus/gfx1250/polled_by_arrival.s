; an arrival that comes after another one waits for nothing
	wave 1, 8f
	lds_barrier 8192, 2
8:	barrier
	wave 1, 1f
	ds_store_b32 v6, v7
	arrive 8192
	s_endpgm
1:
	.rept 400
	s_nop 0
	.endr
	arrive 8192
	s_wait_dscnt 0
	right await_phase 8192, 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
