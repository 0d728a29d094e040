; a scaled 16x16x128 has 8 passes where an operand is FP8: 12 [ISA tables 28, 38]
	operands
	v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[20:27], v[28:35], v[44:47], v50, v51 op_sel_hi:[0,0,0]
	right s_nop 11
	wrong s_nop 4
	v_mov_b32 v3, v40
	out v3
