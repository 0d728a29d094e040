; a wave waits for a flag that nothing sets
	wrong poll_agent 0, 1
	out v7
