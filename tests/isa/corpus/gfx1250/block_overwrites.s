; two waves store blocks to the same place: of registers that one of them has, or one that both have
	v_lshlrev_b32 v20, 7, v1
	v_mov_b32 v40, v0
	v_mov_b32 v41, v0
	v_mov_b32 v42, v0
	s_mov_b32 m0, 0x5
	wave 0, 1f
	right s_mov_b32 m0, 0x2
	wrong s_mov_b32 m0, 0x6
1:	global_store_block v20, v[40:71], s[6:7]
