/* The accumulation profiles of profiles.def. */
#include "../mxref.h"

#include <string.h>

static const mx_profile profiles[] = {
#define MX_PROFILE(name, group, fidelity, source) { #name, group, MX_##fidelity, source },
#include "profiles.def"
#undef MX_PROFILE
};

const mx_profile *mx_profile_at(size_t i) {
	return i < sizeof profiles / sizeof *profiles ? &profiles[i] : NULL;
}

const mx_profile *mx_profile_by_name(const char *name) {
	const mx_profile *p;
	for (size_t i = 0; (p = mx_profile_at(i)); i++)
		if (!strcmp(p->name, name))
			break;
	return p;
}
