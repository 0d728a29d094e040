; a register that was never written is stored [ISA 3.13: VGPR0 alone is initialised]
	right v_mov_b32 v99, v7
	out v99
