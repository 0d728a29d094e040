/* What the parts of the command line share: usage, checks and shards. */
#ifndef MX_OPTIONS_CHECK_H
#define MX_OPTIONS_CHECK_H

#include "options.h"

enum { MX_MOST_RUNS = 1000000000 /* of a hunt */ };

/* The text of --help. */
extern const char mx_options_help[];

/* Prints "mxcheck: TEXT; see mxcheck --help" on stderr and sets *status to 2. Returns false. */
__attribute__((format(printf, 2, 3))) bool mx_options_bad(int *status, const char *format, ...);

/* A whole decimal number in [low, high]. */
bool mx_parse_number(const char *text, unsigned long long low, unsigned long long high,
                     unsigned long long *value);

/* --shard: "2/8" or "auto". */
bool mx_options_take_shard(const char *value, struct mx_options *o, int *status);

/* Replaces {shard} in the names of reports and of the journal. */
void mx_options_name_shard(struct mx_options *o);

/* Whether the options go together; false with *status if not. */
bool mx_options_check(bool is_run, struct mx_options *o, int *status);

#endif
