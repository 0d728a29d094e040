/* Processes that do the runs of a hunt. */
#ifndef MX_WORKERS_H
#define MX_WORKERS_H

#include "batch.h"

struct mx_workers;

/* Forks o->jobs processes off, each with the bench as it is now; where the device does not survive
 * that, runs will be done in this one, and end at the first that fails. */
int mx_workers_start(struct mx_bench *b, const struct mx_race_options *o,
                     const struct mx_run_0 *zero, struct mx_workers **workers,
                     struct mx_error *err);

/* How many there are, whether one has nothing to do, and giving it runs. */
unsigned mx_workers_count(const struct mx_workers *w);
bool mx_workers_idle(const struct mx_workers *w, unsigned i);
void mx_workers_give(struct mx_workers *w, unsigned i, uint64_t first, uint64_t n);

/* Waits for one to be done, a tenth of a second at most. *batch is what it did, and valid until it
 * is given more; it may be less than it was given. NULL: none is done yet. 0, or -1 with err->text.
 * A worker that died, or was ended for its run took too long, is replaced. */
int mx_workers_wait(struct mx_workers *w, unsigned *which, const struct mx_batch **batch,
                    struct mx_error *err);

/* Asks all to end after the run they are at. */
void mx_workers_stop(struct mx_workers *w);
void mx_workers_free(struct mx_workers *w);

#endif
