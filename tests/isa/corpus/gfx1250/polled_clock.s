; a wave that has waited long enough gives up; this one need not wait
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 8f
	lds_barrier 8192, 1
8:	barrier
	wave 1, 1f
	arrive 8192
	s_endpgm
1:	v_mov_b32 v3, 5
	s_sleep 127
	s_sleep 127
	s_sleep 127
2:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc1 3f
	wrong s_get_shader_cycles_u64 s[32:33]
	wrong s_cmp_lg_u32 s32, 0x12345
	right s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 2b
	v_mov_b32 v3, 7
3:	out v3
