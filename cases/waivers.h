/* Waivers: findings of the emulator that the owner of a kernel has accepted, with the reason. */
#ifndef MX_WAIVERS_H
#define MX_WAIVERS_H

#include "schema.h"

extern const cyaml_schema_field_t waiver_fields[];

/* XXH3_64bits of a code object, as 16 hexadecimal digits. */
bool mx_code_hash_parse(const char *text, uint64_t *hash);

/* The moment, in UTC, at which a day "2027-03-31" ends. */
bool mx_last_day_parse(const char *text, time_t *last);

/* Checks a list of waivers, root[waivers], and fills in what follows from its texts. */
int waivers_check(struct source *s, struct mx_waiver *list, unsigned n, struct mx_error *err);

#endif
