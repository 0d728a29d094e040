; v_cmpx writes EXEC before a DPP: 5 [ISA table 11]
	v_mov_b32 v3, 0
	v_mov_b32 v20, v7
	v_cmpx_ge_u32 v1, v10
	right s_nop 4
	wrong s_nop 3
	v_mov_b32_dpp v3, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	out v3
