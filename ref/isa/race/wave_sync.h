/* How waves of a kernel synchronise through memory. */
#ifndef MX_WAVE_SYNC_H
#define MX_WAVE_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct mx_program;

struct mx_wave_sync {
	bool any;       /* there are atomics that return, loads of agent scope, or these: */
	bool any_polls; /* loads by which a wave waits for another */
	bool polls[];   /* by dword of the code */
};

/* `entry` is the kernel's, in bytes from the start of the program. Kept with the program; NULL if
 * memory is short. */
const struct mx_wave_sync *mx_program_wave_sync(const struct mx_program *p, uint64_t entry);

#endif
