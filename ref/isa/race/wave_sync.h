/* Which instructions of a kernel synchronise waves through memory. */
#ifndef MX_WAVE_SYNC_H
#define MX_WAVE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct mx_graph;
struct mx_program;

struct mx_wave_sync {
	bool any;       /* there are flags, or waits for the barrier of a cluster */
	bool flags;     /* there are returning atomics, loads of agent scope, or polling loads */
	bool any_polls; /* there are polling loads: a wave waits in a loop for another wave's write
	                 */
	const bool
		*verified; /* plain loads that a compare-and-swap verifies, by dword of the code */
	bool polls[];      /* polling loads, by dword of the code */
};

/* `entry`: of the kernel, in bytes from the start of the program. The program keeps the result.
 * NULL if memory is short. */
const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry);

/* verified_loads.c: marks the loads of a kernel that a compare-and-swap verifies, by dword of the
 * code. False if memory is short. */
bool mx_find_verified_loads(const struct mx_graph *g, bool *verified);

#endif
