/* Watching the launches of a program; see watch.c. */
#ifndef MX_WATCH_H
#define MX_WATCH_H

#include "runtime.h"

/* Whether the environment asks for it. */
bool mx_watching(void);

/* Whether a launch is watched. If so, sets its analyses and seed, and *number: launches of the
 * process until this one. */
bool mx_watch_begin(const struct mx_function *f, struct mx_launch *l, uint64_t *number);

/* A watched launch that has ended. */
struct mx_watched {
	const struct mx_function *function;
	const struct mx_launch *launch;
	const struct mx_report *report;
	uint64_t number;
};

/* What repeating a launch needs, before it runs: NULL if no repetition is asked for, or if there is
 * too much memory. mx_watch_end frees it. */
struct mx_replay *mx_watch_save(const struct mx_launch *l);
void mx_watch_end(const struct mx_watched *w, struct mx_replay *replay);

/* ---- watch_object.c ---- */

/* Keeps a copy of a module's code object while the program is watched. */
void mx_watch_keep(struct ihipModule_t *m, const void *elf, size_t bytes);

/* Writes it to the folder, once. The name of its file; "-" if there is none. */
const char *mx_watch_object(const char *folder, struct ihipModule_t *m);

/* ---- replay.c ---- */

struct mx_difference {
	uint64_t bytes; /* that differ; 0: none do, and the rest is not set */
	uint64_t seed, address;
	uint8_t first, second;
};

/* Copies what device memory holds: NULL if it is more than 1 GiB, or host memory is short. */
struct mx_replay *mx_replay_new(const struct mx_memory *memory);
void mx_replay_free(struct mx_replay *r);

/* After the launch under `seed`: runs it n times more from the copy, under the seeds that follow,
 * until memory differs from what it holds now. Leaves memory as it is now. Returns the number of
 * runs. */
uint64_t mx_replay_run(struct mx_replay *r, const struct mx_launch *launch, uint64_t seed,
                       uint64_t n, struct mx_difference *d);

#endif
