; a scatter of two rows to one row of memory: their order is not defined
	tile
	tile_to_out
	ds_store_b32 v6, v7
	ds_store_b32 v6, v11 offset:128
	s_wait_dscnt 0
	s_mov_b32 s36, 0x80000001
	s_mov_b32 s42, 64 << 16
	s_mov_b32 s43, 32 << 16
	s_mov_b32 s44, 2
	s_mov_b32 s45, 32
	right s_mov_b32 s48, 3 | 4 << 16
	wrong s_mov_b32 s48, 3 | 3 << 16
	s_mov_b32 s49, 0
	s_mov_b64 s[50:51], 0
	s_mov_b64 s[52:53], 0
	s_mov_b64 s[54:55], 0
	tensor_store_from_lds s[36:39], s[40:47], s[48:51], s[52:55]
	s_wait_tensorcnt 0
