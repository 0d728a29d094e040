; the other wave overwrites LDS after a barrier which the tensor store has not reached
	v_mov_b32 v3, v7
	ds_store_b32 v7, v7
	s_wait_dscnt 0
	barrier
	wave 1, 1f
	tile
	tile_to_out
	store_tile
	right s_wait_tensorcnt 0
	barrier
	s_wait_tensorcnt 0
	s_endpgm
1:	barrier
	ds_store_b32 v6, v3
	s_wait_dscnt 0
