; the second of two tiles arrives, and so says that both are there; an arrival of the first does not
	tile
	wave 1, 8f
	v_mov_b32 v20, 0
	v_mov_b32 v21, 0
	ds_store_b64 v10, v[20:21] offset:8192
	s_wait_dscnt 0
8:	barrier
	wave 1, 1f
	wrong s_mov_b32 s40, 0x60000
	s_mov_b32 s41, 64 << 16 | 8192 / 8
	load_tile
	tile_at 0x400
	right s_mov_b32 s40, 0x60000
	wrong s_mov_b32 s40, 0x20000
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:
9:	ds_load_b64 v[24:25], v10 offset:8192
	s_wait_dscnt 0
	v_readfirstlane_b32 s30, v24
	s_bitcmp1_b32 s30, 29
	s_cbranch_scc0 9b
	ds_load_b32 v3, v6 offset:0x400
	s_wait_dscnt 0
	out v3
