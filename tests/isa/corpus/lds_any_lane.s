; flags of all lanes, set in two halves when all data are there: any lane will do
	clear_flags
	wave 0, 9f
1:	ds_read_b32 v13, v6 offset:8192
	s_waitcnt lgkmcnt(0)
	v_cmp_ne_u32 vcc, v13, v10
	s_cbranch_vccz 1b
	v_xor_b32 v12, 0x80, v6
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
9:	right ds_write_b32 v6, v7
	s_mov_b32 s28, -1
	s_mov_b32 s29, 0
	s_mov_b64 exec, s[28:29]
	ds_write_b32 v6, v11 offset:8192
	s_mov_b64 exec, -1
	wrong ds_write_b32 v6, v7
	s_not_b64 exec, s[28:29]
	ds_write_b32 v6, v11 offset:8192
