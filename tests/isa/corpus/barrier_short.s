; two waves wait for each other's flags before they set them
	clear_flags
	right wave 1, 1f
	poll_lds 8192, 1
1:	ds_write_b32 v10, v11 offset:8192
	out v7
