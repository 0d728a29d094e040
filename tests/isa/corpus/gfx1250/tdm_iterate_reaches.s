; an iterated tensor load fills more than its tile: its second round lands where the other wave reads
	tile
	wave 1, 1f
	s_mov_b32 s40, 0xa0000
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s48, 0
	s_mov_b32 s49, 64
	s_mov_b32 s50, 64
	right s_mov_b32 s51, 0 << 16
	wrong s_mov_b32 s51, 1 << 16
	s_mov_b64 s[52:53], 0
	s_mov_b64 s[54:55], 0
	tensor_load_to_lds s[36:39], s[40:47], s[48:51], s[52:55]
	s_wait_tensorcnt 0
	s_endpgm
1:	ds_store_b32 v6, v7 offset:256
	ds_load_b32 v3, v6 offset:256
	s_wait_dscnt 0
	out v3
