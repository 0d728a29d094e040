; a flat load from memory is not covered by the counter of LDS
	v_mov_b32 v20, s4
	v_mov_b32 v21, s5
	flat_load_b32 v3, v[20:21]
	right s_wait_loadcnt_dscnt 0
	wrong s_wait_dscnt 0
	out v3
