/* mxcheck probe --assumptions: does a device follow the rules of assumptions.def? */
#ifndef MX_RULES_H
#define MX_RULES_H

#include <stdio.h>

#include "../../cases/case.h"
#include "../../kernels/host/device.h"
#include "../../oracle/probe/set.h"
#include "../../ref/isa/encoding/assumptions.h"

struct mx_rules {
	struct mx_device *device;
	const char *kernels;          /* the folder of our kernels */
	size_t dots;                  /* operands of each function whose last bit is asked for */
	FILE *yaml;                   /* gets the answers; or NULL */
	size_t asked, differ, failed; /* rules */
};

/* Asks all questions about a rule, and prints a line for it, and more if it differs. Returns 0, or
 * -1 with the reason. */
int mx_rules_ask(struct mx_rules *r, mx_assumption rule, struct mx_error *err);

/* The head of the file. */
void mx_rules_yaml_begin(FILE *to, const struct mx_probe_set *about);

#endif
