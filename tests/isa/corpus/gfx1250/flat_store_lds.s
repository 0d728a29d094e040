; a FLAT store to LDS counts in storecnt and dscnt: storecnt 0 alone does not cover it [LLVM gfx12]
	s_mov_b64 s[28:29], src_shared_base
	v_mov_b32 v12, v7
	v_mov_b32 v13, s29
	flat_store_b32 v[12:13], v7
	right s_wait_storecnt_dscnt 0
	wrong s_wait_storecnt 0
	barrier
	v_xor_b32 v14, 0x80, v7
	ds_load_b32 v3, v14
	s_wait_dscnt 0
	out v3
