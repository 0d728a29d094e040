/* Locations in a case's memory: their text form and their addresses. */
#ifndef MX_LOCATION_H
#define MX_LOCATION_H

#include "bench.h"

struct mx_location {
	bool lds;
	uint64_t address; /* device address, or offset in LDS */
	uint64_t bytes;
};

/* "C:1234", a byte of a buffer; "C:1234+16", 16 bytes from it; "C[3,5]" or "C[3][5]", an element;
 * "lds:64+4"; "0x7f0012340000+4", an address. */
int mx_location_parse(const struct mx_bench *b, const char *text, struct mx_location *p,
                      struct mx_error *err);

/* "C[3][5]+2 (byte 522 of C)", "byte 66048 of C (guard)"; false if no buffer contains the
 * address. */
bool mx_location_in_buffer(const struct mx_bench *b, uint64_t address, char text[160]);

/* The same, or the address if no buffer contains it. Returns text. */
const char *mx_location_text(const struct mx_bench *b, uint64_t address, char text[160]);

/* In the form that mx_location_parse takes: "C:522". Returns text. */
const char *mx_location_option(const struct mx_bench *b, uint64_t address, char text[160]);

#endif
