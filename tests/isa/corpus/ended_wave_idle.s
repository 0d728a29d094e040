; the third wave ends at once; the other two still need their barrier [ISA 4.3]
	wave 2, 1f
	ds_write_b32 v7, v7
	s_waitcnt lgkmcnt(0)
	right s_barrier
	v_xor_b32 v12, 0x100, v7
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
1:	s_nop 0
