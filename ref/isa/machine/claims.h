/* Claims: which workgroups access which memory while several threads run, and an undo journal. */
#ifndef MX_CLAIMS_H
#define MX_CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_lane_bytes;
struct mx_memory;
struct mx_run;
struct mx_wave;

struct mx_shadow;
struct mx_journal;
struct mx_worker {
	struct mx_shadow *shadow;
	struct mx_journal *journal; /* the old bytes of what this thread's groups wrote */
	atomic_bool *abort;         /* shared by all threads */
	atomic_bool *conflict;      /* shared; the reason is a conflict in memory */
};

struct mx_shadow *mx_shadow_new(const struct mx_memory *m);
void mx_shadow_free(struct mx_shadow *s);

/* Claims bytes of a region for a group before it reads or writes them. If another group has claimed
 * them, or memory is short, aborts the run and returns false. */
bool mx_shadow_claim(struct mx_wave *w, size_t region, uint64_t offset, size_t bytes, bool write);

/* The same for the bytes of a wave's lanes. */
bool mx_shadow_claim_wave(struct mx_wave *w, size_t region, const struct mx_lane_bytes *x,
                          bool write);

/* Restores what a thread's groups overwrote. */
void mx_journal_undo(struct mx_journal *j, const struct mx_memory *m);
void mx_journal_free(struct mx_journal *j);

void mx_abort(struct mx_run *run);

#endif
