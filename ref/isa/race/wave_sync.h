/* Which instructions of a kernel synchronise waves through memory. */
#ifndef MX_WAVE_SYNC_H
#define MX_WAVE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct mx_program;

struct mx_wave_sync {
	bool any;       /* there are returning atomics, loads of agent scope, or polling loads */
	bool any_polls; /* there are polling loads: a wave waits in a loop for another wave's write
	                 */
	bool polls[];   /* polling loads, by dword of the code */
};

/* `entry`: of the kernel, in bytes from the start of the program. The program keeps the result.
 * NULL if memory is short. */
const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry);

#endif
