; which of two swapped values stays depends on the order of workgroups
	right global_atomic_swap v8, v8, s[6:7]
	wrong global_atomic_swap v6, v8, s[6:7]
