; tensorcnt counts the operations of its own wave: the reader's wait covers nothing
	wave 1, 1f
	tile
	load_tile
	right s_wait_tensorcnt 0
	barrier
	s_wait_tensorcnt 0
	s_endpgm
1:	s_wait_tensorcnt 0
	barrier
	s_wait_tensorcnt 0
	ds_load_b32 v3, v6
	s_wait_dscnt 0
	out v3
