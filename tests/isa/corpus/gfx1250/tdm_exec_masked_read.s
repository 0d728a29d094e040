; a tile copies all of its bytes, whatever EXEC is: another access to them is in no order
	tile
	s_mov_b32 exec_lo, 1
	load_tile
	v_mov_b32 v12, 0x40
	right s_wait_tensorcnt 0
	ds_store_b32 v12, v7
	s_mov_b32 exec_lo, -1
	s_wait_tensorcnt 0
	s_wait_dscnt 0
