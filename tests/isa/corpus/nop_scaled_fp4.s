; a scaled 16x16x128 of FP4 has 4 passes: 8 [ISA tables 28, 38]
	operands
	v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[20:23], v[28:31], v[44:47], v50, v51 op_sel_hi:[0,0,0] cbsz:4 blgp:4
	right s_nop 7
	wrong s_nop 0
	v_mov_b32 v3, v40
	out v3
