; accumulators that nothing zeroed
	operands
	.set n, 0
	.rept 4
	right v_accvgpr_write_b32 a[n], 0
	.set n, n+1
	.endr
	s_nop 1
	v_mfma_f32_16x16x16_f16 a[0:3], v[20:21], v[22:23], a[0:3]
	s_nop 15
	v_accvgpr_read_b32 v3, a0
	out v3
