/* Members of the family: drawn, and printed. */
#ifndef MX_TEST_MEMBER_H
#define MX_TEST_MEMBER_H

#include "../../oracle/probe/family.h"
#include "../random.h"
#include "../tap.h"

static inline mx_profile draw_member(unsigned K, uint64_t *random) {
	const struct mx_family_field *f;
	mx_profile p;
	do {
		p = (mx_profile){ .parts = 1 };
		for (size_t i = 0; (f = mx_family_at(i)); i++)
			if (next_random(random) % 2)
				*mx_family_value(&p, f) = f->values[next_random(random) % f->n];
		p = mx_family_canonical(&p, K);
	} while (mx_profile_check(&p));
	return p;
}

/* One that is a member for an instruction. */
static inline mx_profile draw_member_of(const struct mx_probe_insn *insn, uint64_t *random) {
	mx_profile p;
	do
		p = draw_member(insn->k, random);
	while (!mx_family_has(insn, &p));
	return p;
}

/* Its fields that are not 0. */
static inline void print_member(const char *which, const mx_profile *p) {
	const struct mx_family_field *f;
	mx_profile q = *p;
	char text[512];
	size_t n = 0;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		if (*mx_family_value(&q, f))
			n += (size_t)snprintf(text + n, sizeof text - n, " %s %u", f->name,
			                      *mx_family_value(&q, f));
	diag("%s:%s", which, n ? text : " nothing");
}

#endif
