; an unwritten register that reaches nothing is no bug
	v_add_u32 v98, v99, v7
	out v7
