/* From the results of an instruction to its profile: rounds of inference and verification. */
#ifndef MX_PROBE_READ_H
#define MX_PROBE_READ_H

#include "probe_device.h"
#include "probe_report.h"

struct mx_reading {
	const struct mx_probe_set *set;
	struct mx_device *device; /* NULL: the results are in the folder of the set */
	const char *co;           /* of kernels/probe */
	FILE *yaml;               /* gets the profiles that fit; or NULL */
	size_t done, failed;      /* instructions */
};

/* Infers and prints the profile of an instruction. Random dots that contradict it become questions,
 * and the inference is repeated. An instruction without results is passed over. Returns 0, or -1
 * with the reason. */
int mx_probe_read_entry(struct mx_reading *r, const struct mx_probe_entry *e, struct mx_error *err);

#endif
