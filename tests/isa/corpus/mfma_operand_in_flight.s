; an MFMA reads the last fragment that ds_read brings: lgkmcnt(1) is one too loose
	operands
	v_lshlrev_b32 v12, 3, v1
	ds_write_b64 v12, v[20:21]
	ds_write_b64 v12, v[20:21] offset:512
	ds_read_b64 v[24:25], v12
	ds_read_b64 v[26:27], v12 offset:512
	right s_waitcnt lgkmcnt(0)
	wrong s_waitcnt lgkmcnt(1)
	v_mfma_f32_16x16x16_f16 v[40:43], v[24:25], v[26:27], v[44:47]
	s_nop 15
	s_waitcnt lgkmcnt(0)
	out v40
