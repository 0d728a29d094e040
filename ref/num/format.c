/* The table of formats, and their names. */
#include "number.h"

#include <strings.h>

const struct mx_format_info mx_types[MX_TYPES] = {
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	[cbsz] = { #id, bits, exp, man, bias, MX_##specials },
#include "formats.def"
#undef MX_FORMAT
#define MX_ELEMENT(id, bits, exp, man, bias, specials)                                             \
	[MX_##id] = { #id, bits, exp, man, bias, MX_##specials },
#include "elements.def"
#undef MX_ELEMENT
#define MX_FLOAT(id, bits, exp, man, bias, specials)                                               \
	[MX_TYPE_##id] = { #id, bits, exp, man, bias, MX_##specials },
#include "floats.def"
#undef MX_FLOAT
};

#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz)                                        \
	_Static_assert((int)MX_##id == (cbsz), "mxref.h and formats.def agree");
#include "formats.def"
#undef MX_FORMAT

const struct mx_format_info *mx_format_info(mx_format f) {
	return (unsigned)f < MX_ELEMENTS ? &mx_types[f] : NULL;
}

bool mx_format_by_name(const char *name, mx_format *f) {
	for (int i = 0; name && f && i < MX_ELEMENTS; i++)
		if (!strcasecmp(name, mx_types[i].name)) {
			*f = i;
			return true;
		}
	return false;
}
