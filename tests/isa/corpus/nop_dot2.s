; another opcode reads the result of a dot product: 3 [ISA table 38]
	operands
	v_dot2_f32_f16 v40, v20, v21, v22
	right s_nop 2
	wrong s_nop 1
	v_add_u32 v3, v40, v7
	out v3
