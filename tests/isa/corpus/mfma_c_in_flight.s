; the accumulator of an MFMA, in AGPRs, is still being read from LDS
	operands
	v_lshlrev_b32 v12, 4, v1
	ds_write_b128 v12, v[20:23]
	s_waitcnt lgkmcnt(0)
	ds_read_b128 a[0:3], v12
	right s_waitcnt lgkmcnt(0)
	s_nop 7
	v_mfma_f32_16x16x32_bf16 a[0:3], v[24:27], v[28:31], a[0:3]
	s_nop 15
	s_nop 15
	v_accvgpr_read_b32 v3, a0
	s_waitcnt lgkmcnt(0)
	out v3
