; the second wave has 36 work-items: the slots of the others are never written
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	s_barrier
	right v_mov_b32 v12, v7
	wrong v_xor_b32 v12, 0x1c, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
