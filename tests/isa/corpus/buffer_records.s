; num_records larger than the buffer
	right s_mov_b32 s22, 0x4000
	wrong s_mov_b32 s22, 0x4100
	v_add_u32 v12, 0x3f80, v6
	buffer_store_dword v7, v12, s[20:23], 0 offen
