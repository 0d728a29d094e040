; the second tile turns the phase back to 0: a wait for 1 is over before it has begun
	tile
	wave 1, 8f
	v_mov_b32 v20, 0
	v_mov_b32 v21, 0
	ds_store_b64 v10, v[20:21] offset:8192
	s_wait_dscnt 0
8:	barrier
	s_mov_b32 s40, 0x60000
	s_mov_b32 s41, 64 << 16 | 8192 / 8
	wave 1, 1f
	load_tile
	barrier
	tile_at 0x400
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:
9:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 9b
	barrier
7:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	right s_bitcmp0_b32 s30, 29
	wrong s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 7b
	ds_load_b32 v3, v6 offset:0x400
	s_wait_dscnt 0
	out v3
