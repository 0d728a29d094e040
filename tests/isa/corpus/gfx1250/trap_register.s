; a register of trap handlers has what they left there
	right v_mov_b32 v3, ttmp9
	wrong v_mov_b32 v3, ttmp10
	out v3
