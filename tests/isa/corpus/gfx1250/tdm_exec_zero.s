; the tensor data mover does not look at EXEC
	tile
	s_mov_b32 s20, exec_lo
	s_mov_b32 exec_lo, 0
	load_tile
	s_wait_tensorcnt 0
	s_mov_b32 exec_lo, s20
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
