; an iterated tensor load counts once, however often it repeats: after one more load tensorcnt 1 covers all of it, 2 does not
	tile
	s_mov_b32 s40, 0xa0000
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s48, 0
	s_mov_b32 s49, 32
	s_mov_b32 s50, 64
	s_mov_b32 s51, 1 << 16
	s_mov_b64 s[52:53], 0
	s_mov_b64 s[54:55], 0
	tensor_load_to_lds s[36:39], s[40:47], s[48:51], s[52:55]
	s_mov_b32 s40, 0x20000
	tile_at 0x400
	load_tile
	right s_wait_tensorcnt 1
	wrong s_wait_tensorcnt 2
	ds_load_b32 v3, v6 offset:128
	s_wait_dscnt 0
	out v3
	s_wait_tensorcnt 0
