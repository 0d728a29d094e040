/* The family of profiles: its fields, by family.def, and profiles as text. */
#ifndef MX_FAMILY_H
#define MX_FAMILY_H

#include "../mxref.h"

struct mx_family_field {
	const char *name, *text;
	size_t offset; /* in mx_profile */
	const unsigned *values;
	size_t n;
};

/* The fields of family.def; NULL ends. And the one called `name`; NULL: there is none. */
const struct mx_family_field *mx_family_at(size_t i);
const struct mx_family_field *mx_family_by_name(const char *name);

static inline unsigned *mx_family_value(mx_profile *p, const struct mx_family_field *f) {
	return (unsigned *)((char *)p + f->offset);
}
static inline unsigned mx_family_value_of(const mx_profile *p, const struct mx_family_field *f) {
	return *(const unsigned *)((const char *)p + f->offset);
}

/* Reads "FIELD=VALUE FIELD=VALUE ...", which it takes apart, into a profile without a name; fields
 * that are not listed are 0, parts is 1. False if a field is unknown or no number. */
bool mx_family_read(char *text, mx_profile *p);

/* Lists of profiles, a line each: NAME FIELD=VALUE ... NAME is a matrix instruction, or
 * MX_FAMILY_ALL for all that the list lacks. Lines that begin with # are comments. */
#define MX_FAMILY_ALL "*"

#endif
