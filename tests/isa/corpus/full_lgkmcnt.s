; of 20 LDS reads the 20th cannot issue before the 5th has returned: lgkmcnt has 4 bits [ISA table 2, 4.4]
	ds_write_b32 v6, v7
	ds_write_b32 v6, v7 offset:256
	s_waitcnt lgkmcnt(0)
	.set n, 0
	.rept 20
	ds_read_b32 v[20+n], v6 offset:4*n
	.set n, n+1
	.endr
	right v_mov_b32 v5, v24
	wrong v_mov_b32 v5, v25
	s_waitcnt lgkmcnt(0)
	out v5
