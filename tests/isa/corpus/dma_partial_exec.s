; lanes that EXEC masks off bring nothing: their slots of LDS stay unwritten [ISA 9.1.9]
	s_mov_b32 m0, 0
	s_mov_b32 s28, -1
	right s_mov_b32 s29, -1
	wrong s_mov_b32 s29, 0
	s_mov_b64 exec, s[28:29]
	s_nop 4
	buffer_load_dword v6, s[16:19], 0 offen lds
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(0)
	ds_read_b32 v3, v6
	s_waitcnt lgkmcnt(0)
	out v3
