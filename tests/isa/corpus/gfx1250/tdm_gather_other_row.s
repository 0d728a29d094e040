; one of the rows that a gather loads is stored by the other workgroup
	tile
	tile_to_out
	group 1, 1f
	s_mov_b32 s36, 0x80000001
	s_mov_b32 s42, 64 << 16
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s44, 2
	s_mov_b32 s45, 32
	right s_mov_b32 s48, 8 | 33 << 16
	wrong s_mov_b32 s48, 8 | 32 << 16
	s_mov_b32 s49, 0
	s_mov_b64 s[50:51], 0
	s_mov_b64 s[52:53], 0
	s_mov_b64 s[54:55], 0
	tensor_load_to_lds s[36:39], s[40:47], s[48:51], s[52:55]
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6 offset:128
	s_wait_dscnt 0
	out v3
	s_endpgm
1:	out v7
