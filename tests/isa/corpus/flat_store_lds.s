; a FLAT store to LDS counts in both counters: without a wait before the barrier it has not landed [ISA 10.2]
	s_mov_b64 s[28:29], src_shared_base
	v_mov_b32 v12, v7
	v_mov_b32 v13, s29
	flat_store_dword v[12:13], v7
	right s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	v_xor_b32 v14, 0x100, v7
	ds_read_b32 v3, v14
	s_waitcnt lgkmcnt(0)
	out v3
