; VALU sets VCC, a VALU reads vccz as data: 5 [ISA table 11]
	v_cmp_lt_u32 vcc, v1, v11
	right s_nop 4
	wrong s_nop 3
	v_mov_b32 v3, src_vccz
	out v3
