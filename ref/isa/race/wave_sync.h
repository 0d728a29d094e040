/* How waves of a kernel synchronise through memory. */
#ifndef MX_WAVE_SYNC_H
#define MX_WAVE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct mx_program;

struct mx_wave_sync {
	struct mx_wave_sync *next;
	uint64_t entry; /* of the kernel, in bytes from the start of the program */
	bool any;       /* there are atomics that return, loads of agent scope, or these: */
	bool any_polls; /* loads by which a wave waits for another */
	bool polls[];   /* by dword of the code */
};

bool mx_find_wave_sync(const struct mx_program *p, struct mx_wave_sync *m); /* false: no memory */

#endif
