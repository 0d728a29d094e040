/* What a probe found: text for a person, YAML for --profile. */
#ifndef MX_PROBE_REPORT_H
#define MX_PROBE_REPORT_H

#include <stdio.h>

#include "../../oracle/probe/infer.h"
#include "../../oracle/probe/set.h"

enum { MX_WRONG = 64 };

/* Random dots under the profile that was found. */
struct mx_verified {
	uint64_t dots, wrong;
	size_t learnt;                     /* of them, earlier wrong ones that became questions */
	struct mx_probe_dot dot[MX_WRONG]; /* the first that are wrong, */
	uint64_t is[MX_WRONG];             /* the device's results, */
	uint64_t would_be;                 /* and the profile's of the first */
};

void mx_probe_print(const struct mx_answers *a, const struct mx_inference *x,
                    const struct mx_verified *v);

/* A member of a mapping, and those of the device with which a file of measurements begins. */
void mx_probe_put_member(FILE *to, const char *key, const char *text);
void mx_probe_put_head(FILE *to, const struct mx_probe_set *s);

/* The head of the file, then each profile that fits and has no wrong dot. */
void mx_probe_yaml_begin(FILE *to, const struct mx_probe_set *s);
void mx_probe_yaml(FILE *to, const struct mx_answers *a, const struct mx_inference *x,
                   const struct mx_verified *v);

#endif
