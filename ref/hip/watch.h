/* Watching the launches of a program; see watch.c. */
#ifndef MX_WATCH_H
#define MX_WATCH_H

#include "runtime.h"

/* Whether the environment asks for it. */
bool mx_watching(void);

/* Whether watched launches are recorded. */
bool mx_recording(void);

/* Whether a launch is watched. If so, sets its analyses and seed, and *number: launches of the
 * process until this one. */
bool mx_watch_begin(const struct mx_function *f, struct mx_launch *l, uint64_t *number);

/* A watched launch that has ended. */
struct mx_watched {
	const struct mx_function *function;
	const struct mx_launch *launch;
	const struct mx_report *report;
	struct mx_hostcall *hostcall; /* or NULL */
	uint64_t number;
};

/* What repeating and recording a launch needs, before it runs: NULL if that is not asked for, or if
 * there is too much memory. mx_watch_end frees it. */
struct mx_saved {
	struct mx_replay *replay;
	struct mx_record *record;
};
struct mx_saved mx_watch_save(struct mx_launch *l);
void mx_watch_end(const struct mx_watched *w, struct mx_saved *saved);

/* While a launch that is repeated or recorded uses memory, no other thread changes or frees any;
 * does nothing if launches are neither. What only shares memory may nest. */
void mx_watch_enter(bool launch);
void mx_watch_leave(void);

/* Notes and prints that a code object of another device is not loaded. */
void mx_watch_refused(const char *why);

/* A launch that was counted as proved is not. */
void mx_watch_unprove(void);

/* Notes a race of work of two streams; the texts are those of the later work and of the race. */
void mx_watch_streams(const void *later, const void *earlier, char *work, char *text);

/* ---- watch_object.c ---- */

/* Keeps a copy of a module's code object while the program is watched, and of its image while
 * launches are recorded. */
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
 * until memory that it changes differs from what it holds now. Leaves memory as it is now, and what
 * it never changes alone. launch->stored has what it changed, and gets what the other runs change.
 * Returns the number of runs. */
uint64_t mx_replay_run(struct mx_replay *r, const struct mx_launch *launch, uint64_t seed,
                       uint64_t n, struct mx_difference *d);

/* Whether the launch has used malloc or free of device code. */
bool mx_replay_allocated(const struct mx_replay *r);

/* The bytes and states that a region of memory had. */
void mx_replay_before(const struct mx_replay *r, size_t region, const uint8_t **bytes,
                      const uint8_t **states);

/* ---- record.c ---- */

enum { MX_RECORD_WHY = 256 };

/* Observes which memory a launch uses; NULL if host memory is short. */
struct mx_record *mx_record_new(struct mx_launch *l);
void mx_record_free(struct mx_record *r);

/* Writes the case of a launch that has ended. False, with the reason in `why`, if no case can
 * describe it or its files cannot be written. r and before may be NULL. */
bool mx_record_write(const struct mx_record *r, const struct mx_watched *w,
                     const struct mx_replay *before, const char *folder, char *why);

#endif
