/* The accumulation profiles of profiles.def, and the check of a profile. */
#include "step.h"

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
	return p->parts == 1 && !p->join && !p->dot && !p->acc && !p->drop && !p->norm && !p->limit;
}

static bool aligned_fields_agree(const mx_profile *p) {
	bool two = p->parts == 2;
	return p->group >= 1 && p->group <= MX_STEP_TERMS && is_width(p->align) &&
	       is_width(p->dot) && is_width(p->acc) && p->norm <= 60 && p->drop <= 60 &&
	       (two ? is_width(p->join) : !p->join) && p->limit <= 1000 && (two || p->parts == 1);
}

mx_status mx_profile_check(const mx_profile *p) {
	if (!p)
		return MX_BAD_POINTER;
	if (!(p->align ? aligned_fields_agree(p) : exact_fields_agree(p)))
		return MX_BAD_PROFILE;
	return MX_OK;
}
