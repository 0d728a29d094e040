/* What a probe found: text for a person, YAML for --profile. */
#ifndef MX_PROBE_REPORT_H
#define MX_PROBE_REPORT_H

#include <stdio.h>

#include "../../probe/infer.h"
#include "../../probe/set.h"

/* Random dots under the profile that was found. */
struct mx_verified {
	uint64_t dots, wrong;
	struct mx_probe_dot first; /* the first that is wrong, */
	uint32_t is, would_be;     /* the device's result and the profile's */
};

void mx_probe_print(const struct mx_answers *a, const struct mx_inference *x,
                    const struct mx_verified *v);

/* The head of the file, then each profile that fits and has no wrong dot. */
void mx_probe_yaml_begin(FILE *to, const struct mx_probe_set *s);
void mx_probe_yaml(FILE *to, const struct mx_answers *a, const struct mx_inference *x,
                   const struct mx_verified *v);

#endif
