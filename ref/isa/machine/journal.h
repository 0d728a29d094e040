/* Journals: the old bytes of what a thread's workgroups overwrite, so that it can be undone. */
#ifndef MX_JOURNAL_H
#define MX_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

struct mx_journal;
struct mx_memory;
struct mx_region;

/* An empty journal; NULL if memory is short. Its memory is kept for later launches. */
struct mx_journal *mx_journal_new(void);
void mx_journal_free(struct mx_journal *j);

/* Records dwords of a line of 16 at an offset of a region, before their first write: the bytes and
 * their states. False if memory is short. */
bool mx_journal_record(struct mx_journal *j, const struct mx_region *r, uint64_t line,
                       unsigned dwords);
/* Restores what was recorded. */
void mx_journal_undo(const struct mx_journal *j, const struct mx_memory *m);

#endif
