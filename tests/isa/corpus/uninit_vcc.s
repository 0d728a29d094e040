; v_cndmask selects by a VCC that nothing wrote
	right v_cmp_lt_u32 vcc, v1, v11
	v_cndmask_b32 v3, v6, v10, vcc
	out v3
