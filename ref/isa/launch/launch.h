/* From the launch to the first instruction: workgroups and waves begin, on one or more threads. */
#ifndef MX_LAUNCH_H
#define MX_LAUNCH_H

#include <stdatomic.h>

#include "../machine/wave.h"

/* ---- wave_state.c ---- */

/* Sets registers up as the hardware hands them over. */
void mx_wave_start(struct mx_wave *w, uint8_t pattern);
/* What the launch asks for and is not set up, or NULL. */
const char *mx_unsupported_state(const struct mx_launch *l);

/* ---- group.c ---- */

struct mx_group *mx_group_new(struct mx_run *run);
void mx_group_start(struct mx_group *g, uint64_t index);
void mx_group_free(struct mx_group *g);

/* ---- launch.c ---- */

enum { MX_RESIDENT = 1024 }; /* workgroups that a thread has begun and not ended, at most */

/* Workgroups that have begun and not ended; the others come from a counter. */
struct mx_residents {
	struct mx_group *group[MX_RESIDENT];
	unsigned n;
	struct mx_group *spare; /* one that has ended, to be used again */
	unsigned stalled;       /* slices in a row that changed nothing */
	_Atomic uint64_t *next;
	uint64_t end;
};

/* Begins groups and gives each its turn, until none is left or `instructions` were issued. */
void mx_residents_run(struct mx_residents *r, struct mx_run *run, uint64_t instructions);
void mx_residents_free(struct mx_residents *r);

/* ---- parallel.c ---- */

/* Runs the groups from *next on the launch's threads. If they meet in memory or find something,
 * everything is as before, and they are still to be run. */
void mx_parallel_run(struct mx_run *run, _Atomic uint64_t *next, uint64_t end);

#endif
