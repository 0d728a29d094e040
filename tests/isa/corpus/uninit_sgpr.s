; an SGPR that was never written [ISA 3.13]
	right s_mov_b32 s60, 7
	v_mov_b32 v3, s60
	out v3
