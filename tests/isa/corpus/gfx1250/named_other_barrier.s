; the consumer joined another barrier than the producer signals after its store
	wave 1, 1f
	s_mov_b32 m0, 0x10001
	s_barrier_init m0
	s_mov_b32 m0, 0x10002
	s_barrier_init m0
	s_wait_kmcnt 0
	barrier
	barrier
	s_mov_b32 m0, 0x00002
	s_barrier_signal m0
	ds_store_b32 v6, v7
	s_wait_dscnt 0
	s_mov_b32 m0, 0x00001
	s_barrier_signal m0
	s_endpgm
1:	barrier
	right s_barrier_join 1
	wrong s_barrier_join 2
	barrier
	s_barrier_wait 1
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
