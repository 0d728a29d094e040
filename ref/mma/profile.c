/* The accumulation profiles of profiles.def, and the check of a profile. */
#include "step.h"
#include "../num/f32.h"

#include <string.h>

static const mx_profile profiles[] = {
#define MX_PROFILE(id, level, text)                                                                \
	{                                                                                          \
		.name = #id, .fidelity = MX_##level, .source = text,
#define MX_FIELD(field, number, level, text) .field = number, .why.field = { MX_##level, text },
#define MX_END                                                                                     \
	}                                                                                          \
	,
#include "profiles.def"
#undef MX_PROFILE
#undef MX_FIELD
#undef MX_END
};

const mx_profile *mx_profile_at(size_t i) {
	return i < sizeof profiles / sizeof *profiles ? &profiles[i] : NULL;
}

const mx_profile *mx_profile_by_name(const char *name) {
	const mx_profile *p;
	for (size_t i = 0; name && (p = mx_profile_at(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static bool is_width(unsigned bits) {
	return bits >= 1 && bits <= MX_STEP_BITS;
}

static bool exact_fields_agree(const mx_profile *p) {
	return p->parts == 1 && !p->join && !p->dot && !p->acc && !p->drop && !p->norm &&
	       !p->limit && !p->fused && !p->cut && !p->low && !p->split;
}

static bool aligned_fields_agree(const mx_profile *p) {
	bool one = p->parts == 1;
	return !p->inner && p->group >= 1 && p->group <= MX_STEP_TERMS && is_width(p->align) &&
	       is_width(p->dot) && is_width(p->acc) && p->norm <= 60 && p->drop <= 60 &&
	       (one ? !p->join : is_width(p->join)) && p->limit <= 1000 &&
	       (one || p->parts == 2 || p->parts == MX_PARTS) && p->cut <= MX_CUT_ODD &&
	       p->low <= 1000 && p->split <= 1;
}

/* C is aligned with the products: one width. */
static bool fused_fields_agree(const mx_profile *p) {
	mx_profile one = *p;
	one.dot = one.acc = p->align;
	return !p->dot && !p->acc && !p->drop && !p->norm && p->parts == 1 && p->fused == 1 &&
	       aligned_fields_agree(&one);
}

static bool result_fields_agree(const mx_profile *p) {
	bool is_nan = (p->nan & ~MX_F32_SIGN) > MX_F32_INF;
	bool even = p->order < MX_ORDER_HALVES || p->group % 2 == 0;
	return p->order <= MX_ORDER_PAIRS && even && p->late <= MX_LATE_NEAREST && p->round <= 1 &&
	       p->bits <= MX_F32_MAN && p->flush <= MX_FLUSH_ALL && p->lead <= 1 && p->zero <= 2 &&
	       p->over <= 1 && p->inner <= MX_INNER_BOTH && (!p->nan || is_nan);
}

mx_status mx_profile_check(const mx_profile *p) {
	if (!p)
		return MX_BAD_POINTER;
	bool agree = !p->align  ? exact_fields_agree(p)
	             : p->fused ? fused_fields_agree(p)
	                        : aligned_fields_agree(p);
	return agree && result_fields_agree(p) ? MX_OK : MX_BAD_PROFILE;
}

bool mx_profile_is_basic(const mx_profile *p) {
	return p->parts <= 2 &&
	       !(p->order | p->split | p->fused | p->cut | p->low | p->late | p->round | p->bits |
	         p->flush | p->lead | p->nan | p->zero | p->over | p->inner);
}
