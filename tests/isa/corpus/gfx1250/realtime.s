; the time, by message
	right v_mov_b32 v3, v7
	wrong s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_REALTIME)
	wrong s_wait_kmcnt 0
	wrong v_mov_b32 v3, s20
	out v3
