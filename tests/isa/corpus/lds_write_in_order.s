; LDS operations of one wave are in order: a read after a write needs no wait [ISA 4.4]
	ds_write_b32 v6, v7
	ds_read_b32 v3, v6
	ds_write_b32 v6, v11
	ds_read_b32 v4, v6
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v3, v3, v4
	out v3
