; a wave signals a barrier again before it has waited for it: the other one may have waited, but need not
	ds_store_b32 v7, v0
	s_wait_dscnt 0
	s_barrier_signal -1
	wave 1, 1f
	.rept 400
	s_nop 0
	.endr
	right s_barrier_wait -1
	s_branch 2f
1:	s_barrier_wait -1
2:	s_barrier_signal -1
	s_barrier_wait -1
	v_xor_b32 v12, 128, v7
	ds_load_b32 v3, v12
	s_wait_dscnt 0
	out v3
