; a VALU consumes what SDWA moved to another half: 1 [ISA table 11]
	v_mov_b32 v3, 0
	s_nop 1
	v_add_u16_sdwa v3, v7, v6 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_0
	right s_nop 0
	v_add_u32 v4, v3, v7
	out v4
