; padding: after each 32 dwords 4 are left out
	tile
	s_mov_b32 s40, 0x20000 | 1 << 20 | 4 << 22 | 3 << 25
	right s_mov_b32 s40, 0x20000
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6 offset:64
	s_wait_dscnt 0
	out v3
