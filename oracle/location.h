/* Places in the memory of a case, as people write them and as addresses. */
#ifndef MX_PLACE_H
#define MX_PLACE_H

#include "bench.h"

struct mx_location {
	bool lds;
	uint64_t address; /* device address, or offset in LDS */
	uint64_t bytes;
};

/* "C:1234", a byte of a buffer; "C:1234+16", that many; "C[3,5]" or "C[3][5]", an element;
 * "lds:64+4"; "0x7f0012340000+4", an address. */
int mx_location_parse(const struct mx_bench *b, const char *text, struct mx_location *p,
                      struct mx_error *err);

/* "C[3][5]+2 (byte 522 of C)", "byte 66048 of C (guard)"; false where no buffer has the address. */
bool mx_location_in_buffer(const struct mx_bench *b, uint64_t address, char text[160]);

/* The same, or the address where no buffer has it. Returns text. */
const char *mx_location_text(const struct mx_bench *b, uint64_t address, char text[160]);

/* As mx_location_parse takes it: "C:522". Returns text. */
const char *mx_location_option(const struct mx_bench *b, uint64_t address, char text[160]);

#endif
