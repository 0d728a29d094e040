/* Members of the family of profiles, and the result of a dot under one. */
#ifndef MX_PROBE_FAMILY_H
#define MX_PROBE_FAMILY_H

#include "../../ref/mma/family.h"
#include "../../ref/mma/step.h"
#include "probe.h"

/* The member with the same results for dots of K products in which fields without effect have one
 * value. Widths that are 0 and must not be become `align`. */
mx_profile mx_family_canonical(const mx_profile *p, unsigned K);

/* Whether it is a member for this instruction: products of f32 and f64 are not aligned, and only
 * their sums and products are rounded before C is added; f64 has no shorter results. */
bool mx_family_has(const struct mx_probe_insn *insn, const mx_profile *p);

/* Whether a field has an effect on dots of this instruction. */
bool mx_family_matters(const struct mx_family_field *f, const mx_profile *p,
                       const struct mx_probe_insn *insn);

/* A product, and what it becomes with a subnormal element: its exponent with `lead`, its kind with
 * MX_FLUSH_ELEMENTS. */
struct mx_probe_product {
	struct mx_term term;
	int lead_top;
	uint8_t flushed_kind, k;
	bool subnormal;
};

/* A dot: its products that are not +0, by k. */
struct mx_probe_terms {
	struct mx_probe_product *product; /* room for K; not of f64 */
	unsigned n;
	const struct mx_probe_dot *dot; /* of mx_probe_terms, not owned */
};
void mx_probe_terms(const struct mx_probe_insn *insn, const struct mx_probe_dot *d,
                    struct mx_probe_terms *t);

/* When each k is added: its place in the order of the products, and the step of that place. */
struct mx_probe_steps {
	unsigned n, size, k;
	uint8_t place[MX_PROBE_K], step[MX_PROBE_K];
};
void mx_probe_steps(const mx_profile *p, unsigned K, struct mx_probe_steps *s);

/* The result under a member and its steps. i8: the sum modulo 2^32, or with `over` the nearest
 * i32. */
uint64_t mx_probe_result(const struct mx_probe_insn *insn, const mx_profile *p,
                         const struct mx_probe_steps *s, const struct mx_probe_terms *t);

#endif
