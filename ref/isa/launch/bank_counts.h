/* Counting the bank conflicts of a launch. */
#ifndef MX_BANK_COUNTS_H
#define MX_BANK_COUNTS_H

#include "../machine/wave.h"

/* Adds the watcher to the run, if the launch asks for it and the banks are known. False if memory
 * is short. */
bool mx_count_banks(struct mx_run *run);

/* Adds the counts of a part of the launch. */
void mx_add_banks(struct mx_stats *to, const struct mx_stats *part);

#endif
