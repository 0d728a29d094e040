; the same in LDS: the first read of a compare-and-swap loop is verified; its value must not leave the loop before
	ds_write_b32 v10, v10
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v14, v10
	s_mov_b64 s[30:31], 0
	s_waitcnt lgkmcnt(0)
	wrong v_readfirstlane_b32 s20, v14
	wrong v_mov_b32 v5, s20
	wrong out v5
1:	v_add_u32 v16, v14, v11
	ds_cmpst_rtn_b32 v17, v10, v14, v16
	s_waitcnt lgkmcnt(0)
	v_cmp_eq_u32 vcc, v17, v14
	s_or_b64 s[30:31], vcc, s[30:31]
	v_mov_b32 v14, v17
	s_andn2_b64 exec, exec, s[30:31]
	s_cbranch_execnz 1b
