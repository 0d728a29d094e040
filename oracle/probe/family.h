/* The family of profiles: fields and values, and the result of a dot under a member. */
#ifndef MX_PROBE_FAMILY_H
#define MX_PROBE_FAMILY_H

#include "../../ref/mma/step.h"
#include "probe.h"

struct mx_family_field {
	const char *name, *text;
	size_t offset; /* in mx_profile */
	const unsigned *values;
	size_t n;
};

/* The fields of family.def; NULL ends. */
const struct mx_family_field *mx_family_at(size_t i);

static inline unsigned *mx_family_value(mx_profile *p, const struct mx_family_field *f) {
	return (unsigned *)((char *)p + f->offset);
}

/* The member with the same results for dots of K products in which fields without effect have one
 * value. Widths that are 0 and must not be become `align`. */
mx_profile mx_family_canonical(const mx_profile *p, unsigned K);

/* Whether a field has an effect on dots of this instruction. */
bool mx_family_matters(const struct mx_family_field *f, const mx_profile *p,
                       const struct mx_probe_insn *insn);

/* A dot as factors with their scales. */
struct mx_probe_terms {
	struct mx_term *a, *b; /* [K] */
	uint32_t c;
};
void mx_probe_terms(const struct mx_probe_insn *insn, const struct mx_probe_dot *d,
                    struct mx_probe_terms *t);

/* The result under a member. i8: the sum modulo 2^32, or with `over` the nearest i32. */
uint32_t mx_probe_result(const struct mx_probe_insn *insn, const mx_profile *p,
                         const struct mx_probe_terms *t);

#endif
