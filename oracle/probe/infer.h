/* Inference: the members of the family that give a device's results. */
#ifndef MX_PROBE_INFER_H
#define MX_PROBE_INFER_H

#include "family.h"

/* The questions of an instruction with a device's answers. */
struct mx_answers {
	struct mx_probe_insn insn;
	const struct mx_probe_dot *dot;
	struct mx_probe_terms *terms;
	struct mx_probe_product *product; /* of all terms */
	const uint64_t *d;
	size_t n;
	size_t of_question[MX_QUESTIONS]; /* their dots */
};

/* dot and d must stay; false: no memory. */
bool mx_answers_make(struct mx_answers *a, const struct mx_probe_insn *insn,
                     const struct mx_probe_dot *dot, const uint64_t *d, size_t n);
void mx_answers_free(struct mx_answers *a);

/* A value of a field, if the other fields are those of the member that was found. */
struct mx_ruling {
	unsigned value;
	size_t dot;        /* the first that rules it out; SIZE_MAX: none */
	uint64_t would_be; /* its result with this value */
};

enum { MX_RULINGS = 48, MX_FIELDS = 32 };

struct mx_inference {
	bool fits;
	mx_profile profile; /* if it fits, else the member that is wrong for the fewest questions */
	size_t dot;         /* the first dot for which that one is wrong */
	uint64_t would_be;
	size_t tried; /* members */
	struct {
		bool matters;
		bool decided; /* no other value fits, also with another value of one other field */
		struct mx_ruling ruling[MX_RULINGS];
		size_t n;
		/* A second profile that fits, with another value here; valid if not decided. */
		mx_profile other;
	} field[MX_FIELDS]; /* of mx_family_at */
};

void mx_infer(const struct mx_answers *a, struct mx_inference *x);

#endif
