; registers that a block keeps in scratch are used before they are back
	v_mov_b32 v40, v7
	v_mov_b32 v43, v1
	v_mov_b32 v55, v6
	s_mov_b32 m0, 0x8009
	scratch_store_block off, v[40:71], off
	v_mov_b32 v40, 0
	v_mov_b32 v43, 0
	v_mov_b32 v55, 0
	scratch_load_block v[40:71], off, off
	right s_wait_loadcnt 0
	v_add_nc_u32 v40, v40, v43
	v_add_nc_u32 v40, v40, v55
	s_wait_loadcnt 0
	out v40
