; what is beyond the tensor is filled with 0; what is beyond the tile is not
	tile
	s_mov_b32 s41, 16 << 16
	wrong s_mov_b32 s43, 16 << 16
	load_tile
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
