/* The journal of a hunt: a file that its end, whatever that is, leaves whole. */
#ifndef MX_HUNT_JOURNAL_H
#define MX_HUNT_JOURNAL_H

#include "batch.h"

struct mx_hunt_journal;

/* What a journal is bound to; a hunt of anything else is not added to it. */
struct mx_hunt_identity {
	uint64_t build; /* of this program and its emulator: what a seed means */
	uint64_t setup; /* case, shape, data, device */
	uint64_t code;
	uint64_t seed;
	uint64_t run_0; /* what it left */
};

/* Opens or begins one, and calls `each` for every batch in it. A last record that was cut short is
 * dropped. 0, or -1 with err->text: not a journal, damaged, of another hunt, or in use; the file is
 * left as it is. */
int mx_hunt_journal_open(const char *path, const struct mx_hunt_identity *is,
                         void (*each)(void *context, const struct mx_batch *batch), void *context,
                         struct mx_hunt_journal **journal, struct mx_error *err);

/* Whether its last record had been cut short. */
bool mx_hunt_journal_was_cut(const struct mx_hunt_journal *j);

/* Adds a batch, all of it or nothing. */
int mx_hunt_journal_add(struct mx_hunt_journal *j, const struct mx_batch *batch,
                        struct mx_error *err);
void mx_hunt_journal_close(struct mx_hunt_journal *j);

#endif
