/* The accuracy of runs against a baseline file. */
#ifndef MX_BASELINE_H
#define MX_BASELINE_H

#include "report.h"

struct mx_baseline;

/* Reads a file of --baseline. With `update` it must be writable, and one that is absent is empty.
 * 0, or -1 with err->text.
 * The seed must be that of the file. */
int mx_baseline_open(const char *path, uint64_t seed, bool update, struct mx_baseline **b,
                     struct mx_error *err);
void mx_baseline_free(struct mx_baseline *b);

/* Compares a run that was judged; adds the finding `accuracy` to its verdict if it is worse.
 * Threads may call it for different results. */
void mx_baseline_compare(struct mx_baseline *b, const struct mx_selected *run,
                         struct mx_verdict *v);

/* Prints how many runs are as in the baseline, better, and not in it. */
void mx_baseline_report(struct mx_baseline *b, const struct mx_options *o,
                        const struct mx_result *results, size_t n);

/* Writes the file: the results that pass, and what it had of other runs. */
int mx_baseline_update(struct mx_baseline *b, const struct mx_result *results, size_t n,
                       struct mx_error *err);

#endif
