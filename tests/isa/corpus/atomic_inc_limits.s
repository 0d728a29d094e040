; wrapping increments of one limit commute, of two limits they do not
	v_mov_b32 v3, 5
	group 1, 1f
	global_atomic_inc v6, v3, s[8:9]
	s_endpgm
1:	wrong v_mov_b32 v3, 0
	global_atomic_inc v6, v3, s[8:9]
