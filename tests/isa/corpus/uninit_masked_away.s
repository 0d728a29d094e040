; lanes of an unwritten register that v_cndmask does not choose are no bug; those that it chooses are
	v_cmp_lt_u32 vcc, v1, v10
	right v_cndmask_b32 v3, v6, v99, vcc
	wrong v_cndmask_b32 v3, v99, v6, vcc
	out v3
