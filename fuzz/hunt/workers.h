/* The worker processes of a hunt. */
#ifndef MX_WORKERS_H
#define MX_WORKERS_H

#include "batch.h"

struct mx_workers;

/* Forks o->jobs processes, each with the bench as it is now. A real device does not survive a fork:
 * then the runs are done in this process, and end at the first that fails. */
int mx_workers_start(struct mx_bench *b, const struct mx_race_options *o,
                     const struct mx_run_0 *zero, struct mx_workers **workers,
                     struct mx_error *err);

/* The number of workers; whether one is idle; gives runs to one. */
unsigned mx_workers_count(const struct mx_workers *w);
bool mx_workers_idle(const struct mx_workers *w, unsigned i);
void mx_workers_give(struct mx_workers *w, unsigned i, uint64_t first, uint64_t n);

/* Waits until a worker is done, at most a tenth of a second. *batch is its result, which may have
 * fewer runs than it was given; it is valid until the worker gets more. NULL: none is done yet. A
 * worker that died, or was killed because its run took too long, is replaced. 0, or -1 with
 * err->text. */
int mx_workers_wait(struct mx_workers *w, unsigned *which, const struct mx_batch **batch,
                    struct mx_error *err);

/* Makes all workers stop after their current run. */
void mx_workers_stop(struct mx_workers *w);
void mx_workers_free(struct mx_workers *w);

#endif
