; s_barrier with EXEC 0 is a barrier; a ds_write with EXEC 0 is no write
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	s_mov_b64 exec, 0
	right s_barrier
	s_mov_b64 exec, -1
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
