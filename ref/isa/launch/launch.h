/* Starting workgroups and waves, on one or more threads. */
#ifndef MX_LAUNCH_H
#define MX_LAUNCH_H

#include <stdatomic.h>

#include "../machine/wave.h"

/* ---- wave_state.c ---- */

/* Brings a wave to its first instruction. */
void mx_wave_start(struct mx_wave *w);
/* For mx_isa.start: sets EXEC, and VGPR0 to the ids of the work-items. */
void mx_start_lanes(struct mx_wave *w);
/* A property of the launch that is not supported, or NULL. */
const char *mx_unsupported_state(const struct mx_launch *l);

/* ---- gfx950_start.c: see mx_isa ---- */

/* Of all instruction sets: sets pc and the user SGPRs; their properties that are not supported, or
 * NULL. */
void mx_start_user_sgprs(struct mx_wave *w);
const char *mx_unsupported_user_sgprs(const struct mx_launch *l);

void mx_gfx950_start(struct mx_wave *w);
const char *mx_gfx950_unsupported(const struct mx_launch *l);

/* ---- handlers.c ---- */

/* The functions that execute the opcodes of all instruction sets, by id: mx_isa.handlers. */
mx_handler *const *mx_all_handlers(void);

/* ---- group.c ---- */

struct mx_group *mx_group_new(struct mx_run *run);
void mx_group_start(struct mx_group *g, uint64_t index);
void mx_group_free(struct mx_group *g);
/* The same of one that has ended: its memory is kept for later launches. */
void mx_group_keep(struct mx_group *g);

/* ---- launch.c ---- */

enum { MX_RESIDENT = 1024 }; /* most workgroups that a thread has started and not ended */

/* Workgroups that have started and not ended; the others come from a counter. */
struct mx_residents {
	struct mx_group *group[MX_RESIDENT];
	unsigned n;
	struct mx_group *spare; /* one that has ended, for reuse */
	unsigned stalled;       /* slices in a row that changed nothing */
	bool took_turns;        /* a workgroup did not end in its first turn */
	_Atomic uint64_t *next;
	uint64_t end;
};

/* Starts workgroups and gives them turns, until none is left or `instructions` have issued. */
void mx_residents_run(struct mx_residents *r, struct mx_run *run, uint64_t instructions);
void mx_residents_free(struct mx_residents *r);

/* ---- parallel.c ---- */

/* Runs the workgroups from *next on the launch's threads. If two of them conflict in memory, or
 * there is a finding, it restores the earlier state, and they remain to be run. */
void mx_parallel_run(struct mx_run *run, _Atomic uint64_t *next, uint64_t end);

#endif
