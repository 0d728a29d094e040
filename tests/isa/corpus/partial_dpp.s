; a DPP that mirrors rows of 16 stays within the rows that exist
	v_mov_b32 v3, v7
	v_mov_b32 v4, 0
	s_nop 1
	v_mov_b32_dpp v4, v3 row_mirror row_mask:0xf bank_mask:0xf
	out v4
