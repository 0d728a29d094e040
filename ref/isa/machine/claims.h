/* Claims: which workgroups access which memory while several threads run. */
#ifndef MX_CLAIMS_H
#define MX_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_journal;
struct mx_lane_bytes;
struct mx_run;
struct mx_shadow;
struct mx_wave;

/* A thread of a launch. The flags are shared by all threads. */
struct mx_worker {
	struct mx_shadow *shadow;
	struct mx_journal *journal; /* the old bytes of what this thread's groups wrote */
	atomic_bool *abort;
	atomic_bool *conflict;          /* the reason is a conflict in memory */
	atomic_bool *surprise;          /* or a write to a region that counted as only read */
	const struct mx_report *before; /* what the launch found before its threads started */
};

/* The claims of a launch's groups from now on, none yet. Regions that no group has written
 * (mx_pages.stored) count as only read: they need no claims. NULL if memory is short. Its memory is
 * kept for later launches. */
struct mx_shadow *mx_shadow_new(const struct mx_run *run, uint64_t groups);
void mx_shadow_free(struct mx_shadow *s);

/* Claims bytes of a region for a group before it reads or writes them. If another group has claimed
 * them, or memory is short, aborts the run and returns false. */
bool mx_shadow_claim(struct mx_wave *w, size_t region, uint64_t offset, size_t bytes, bool write);
/* The same for the bytes of a wave's lanes. */
bool mx_shadow_claim_wave(struct mx_wave *w, size_t region, const struct mx_lane_bytes *x,
                          bool write);

void mx_abort(struct mx_run *run);

#endif
