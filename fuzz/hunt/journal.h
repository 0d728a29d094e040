/* The journal of a hunt: a file that survives any end of the hunt. */
#ifndef MX_JOURNAL_H
#define MX_JOURNAL_H

#include "batch.h"

struct mx_hunt_journal;

/* The hunt that a journal is bound to, as hashes; another hunt cannot use it. */
struct mx_hunt_identity {
	uint64_t build; /* this program and its emulator, which give a seed its meaning */
	uint64_t setup; /* case, shape, data, device */
	uint64_t code;
	uint64_t seed;
	uint64_t run_0; /* memory after run 0 */
};

/* Opens or begins a journal, and calls `each` for every batch in it. A last record that was cut
 * short is dropped. 0, or -1 with err->text: not a journal, damaged, of another hunt, or in use;
 * then the file is not changed. */
int mx_hunt_journal_open(const char *path, const struct mx_hunt_identity *is,
                         void (*each)(void *context, const struct mx_batch *batch), void *context,
                         struct mx_hunt_journal **journal, struct mx_error *err);

/* Whether its last record was cut short. */
bool mx_hunt_journal_was_cut(const struct mx_hunt_journal *j);

/* Adds a batch, whole or not at all. */
int mx_hunt_journal_add(struct mx_hunt_journal *j, const struct mx_batch *batch,
                        struct mx_error *err);
void mx_hunt_journal_close(struct mx_hunt_journal *j);

#endif
