; a third wave signals a barrier of two: where it comes before the wave that stores, the barrier opens without that wave
	wave 1, 1f
	wave 2, 2f
	s_mov_b32 m0, 0x20001
	s_barrier_init m0
	s_wait_kmcnt 0
	barrier
	barrier
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	s_mov_b32 m0, 0x00001
	s_barrier_signal m0
	s_endpgm
2:	barrier
	barrier
	.rept 200
	s_nop 0
	.endr
	s_mov_b32 m0, 0x00001
	wrong s_barrier_signal m0
	s_endpgm
1:	barrier
	s_barrier_join 1
	barrier
	s_mov_b32 m0, 0x00001
	s_barrier_signal m0
	s_barrier_wait 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
