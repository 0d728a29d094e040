; a wave that has not waited for the first of two phases waits for the second, whose parity is that of the beginning
	wave 1, 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	ds_store_b32 v6, v7
	arrive 8192
	await_phase 8192, 1
	arrive 8192
	await_phase 8192, 0
	right barrier
	s_endpgm
1:
	.rept 400
	s_nop 0
	.endr
	right barrier
	await_phase 8192, 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
