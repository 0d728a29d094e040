/* Waivers: findings of the emulator that the owner of a kernel has accepted, with the reason. */
#ifndef MX_WAIVERS_H
#define MX_WAIVERS_H

#include "schema.h"

extern const cyaml_schema_field_t waiver_fields[];

/* Checks a list of waivers, root[waivers], and fills in what follows from its texts. */
int waivers_check(struct source *s, struct mx_waiver *list, unsigned n, struct mx_error *err);

#endif
