/* A question about an assumed rule, its operands and a device's results. */
#ifndef MX_RULES_DEVICE_H
#define MX_RULES_DEVICE_H

#include "../../oracle/exact/assumed.h"
#include "rules.h"

enum { MX_MOST_ULP_BUCKETS = 34 };

struct mx_answered {
	const struct exact_question *question;
	unsigned n_in, n_out; /* registers of a lane */
	size_t lanes;
	uint32_t *in, *out; /* [lane][register] */
	struct exact_judgement judgement;
	size_t ulps[MX_MOST_ULP_BUCKETS]; /* 0: none; i: distances from 2^(i-1) to 2^i - 1 */
};

/* Asks; mx_answered_free frees what it has. Returns 0, or -1 with the reason. */
int mx_rules_ask_one(const struct mx_rules *r, const struct exact_question *q,
                     struct mx_answered *a, struct mx_error *err);
void mx_answered_free(struct mx_answered *a);

/* The names of kernels; NULL ends. */
const char *mx_rules_kernel_at(size_t i);

#endif
