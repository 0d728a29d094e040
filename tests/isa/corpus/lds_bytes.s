; two waves write alternate bytes; a 16-bit write covers the neighbour's byte
	v_lshlrev_b32 v12, 1, v1
	v_add_u32 v12, v12, v2
	wave 1, 1f
	right ds_write_b8 v12, v7
	wrong ds_write_b16 v12, v7
	s_branch 2f
1:	ds_write_b8 v12, v11
2:	s_waitcnt lgkmcnt(0)
	s_barrier
	v_and_b32 v12, 0x7c, v6
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
