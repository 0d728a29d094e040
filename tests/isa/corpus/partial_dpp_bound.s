; row_mirror in a row that is half there: with bound_ctrl and an old value the lanes get something written, without they keep an unwritten register
	v_mov_b32 v3, v7
	right v_mov_b32 v4, 0
	s_nop 1
	v_mov_b32_dpp v4, v3 row_mirror row_mask:0xf bank_mask:0xf
	out v4
