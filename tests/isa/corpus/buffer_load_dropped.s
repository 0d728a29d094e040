; a load beyond num_records reads nothing; within, it reads what the other workgroup stores [ISA 9.1.5]
	right s_mov_b32 s22, 0x1000
	group 1, 1f
	v_add_u32 v12, 0x1000, v6
	buffer_load_dword v3, v12, s[20:23], 0 offen
	s_waitcnt vmcnt(0)
	out v3
	s_endpgm
1:	out v7
