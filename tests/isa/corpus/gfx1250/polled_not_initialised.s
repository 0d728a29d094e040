; a wave may poll, and arrive, before the barrier is initialised
	wave 1, 1f
	wrong barrier
	lds_barrier 8192, 2
	right barrier
	arrive 8192
	s_endpgm
1:	barrier
	arrive 8192
	await_phase 8192, 1
	out v7
