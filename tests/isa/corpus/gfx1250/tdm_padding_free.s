; the bytes that padding leaves out belong to the other wave
	tile
	s_mov_b32 s40, 0x20000 | 1 << 20 | 4 << 22 | 31 << 25
	wave 1, 1f
	load_tile
	s_wait_tensorcnt 0
	s_endpgm
1:	right ds_store_b32 v6, v7 offset:128
	wrong ds_store_b32 v6, v7 offset:256
	s_wait_dscnt 0
