; a flag for each lane: the consumer must wait for all of them, not for any
	clear_flags
	wave 0, 9f
1:	ds_read_b32 v13, v6 offset:8192
	s_waitcnt lgkmcnt(0)
	right v_cmp_eq_u32 vcc, v13, v10
	wrong v_cmp_ne_u32 vcc, v13, v10
	right s_cbranch_vccnz 1b
	wrong s_cbranch_vccz 1b
	v_xor_b32 v12, 0x80, v6
	ds_read_b32 v3, v12
	s_waitcnt lgkmcnt(0)
	out v3
	s_endpgm
9:	s_mov_b32 s28, -1
	s_mov_b32 s29, 0
	s_mov_b64 exec, s[28:29]
	ds_write_b32 v6, v7
	ds_write_b32 v6, v11 offset:8192
	s_not_b64 exec, exec
	ds_write_b32 v6, v7
	ds_write_b32 v6, v11 offset:8192
