; three slots, two tiles in flight, each wave copies half of a tile: asynccnt 1 covers this tile, 2 does not
	v_xor_b32 v12, 0x80, v7
	v_mov_b32 v5, 0
	.macro copy_tile k
	v_add_nc_u32 v13, ((\k)%3)*1024, v7
	v_add_nc_u32 v14, (\k)*256, v7
	global_load_async_to_lds_b32 v13, v14, s[4:5]
	.endm
	copy_tile 0
	copy_tile 1
	.set n, 0
	.rept 5
	.if n == 4
	s_wait_asynccnt 0
	.else
	right s_wait_asynccnt 1
	wrong s_wait_asynccnt 2
	.endif
	barrier
	ds_load_b32 v3, v12 offset:(n%3)*1024
	.if n < 3
	copy_tile n+2
	.endif
	s_wait_dscnt 0
	v_xor_b32 v5, v5, v3
	.set n, n+1
	.endr
	out v5
	.purgem copy_tile
