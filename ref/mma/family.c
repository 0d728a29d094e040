/* The fields of family.def, and profiles as text. */
#include "family.h"

#include <stdlib.h>
#include <string.h>

#define MX_FAMILY(field, text, ...) static const unsigned field##_values[] = { __VA_ARGS__ };
#include "family.def"
#undef MX_FAMILY

static const struct mx_family_field fields[] = {
#define MX_FAMILY(field, text, ...)                                                                \
	{ #field, text, offsetof(mx_profile, field), field##_values,                               \
	  sizeof field##_values / sizeof *field##_values },
#include "family.def"
#undef MX_FAMILY
};

const struct mx_family_field *mx_family_at(size_t i) {
	return i < sizeof fields / sizeof *fields ? &fields[i] : NULL;
}

const struct mx_family_field *mx_family_by_name(const char *name) {
	const struct mx_family_field *f;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		if (!strcmp(f->name, name))
			break;
	return f;
}

bool mx_family_read(char *text, mx_profile *p) {
	char *one, *end;
	*p = (mx_profile){ .parts = 1 };
	while ((one = strsep(&text, " \t\n"))) {
		char *name = strsep(&one, "=");
		const struct mx_family_field *f = mx_family_by_name(name);
		if (!*name)
			continue;
		if (!f || !one || !*one)
			return false;
		*mx_family_value(p, f) = (unsigned)strtoul(one, &end, 0);
		if (*end)
			return false;
	}
	return true;
}
