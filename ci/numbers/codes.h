/* Codes and scales as input of commands: typed lists, or .npy files of uint8. */
#ifndef MX_CODES_H
#define MX_CODES_H

#include "../../cases/npy.h"

/* A matrix of bytes, one code or scale to a byte, row by row; one row if it was typed. */
struct mx_bytes {
	size_t rows, cols;
	uint8_t *v; /* owned; free() */
};

/* "0x7,2,0*30": numbers up to `max`, separated by commas; "*N" repeats a number. */
int mx_bytes_parse(const char *text, unsigned max, struct mx_bytes *b, struct mx_error *err);

/* A .npy file of uint8. */
int mx_bytes_read(const char *path, struct mx_bytes *b, struct mx_error *err);

/* Codes of a format: a list, or a .npy file with one code to a byte; `packed`: with packed rows,
 * see mx_elem_get, of as many elements as fit their bytes. */
int mx_codes_load(const char *text, mx_format f, bool packed, struct mx_bytes *b,
                  struct mx_error *err);

/* In place: rows of packed codes to `cols` codes, one to a byte; and back. */
int mx_codes_unpack(mx_format f, size_t cols, struct mx_bytes *b, struct mx_error *err);
int mx_codes_pack(mx_format f, struct mx_bytes *b, struct mx_error *err);

/* The same bytes as an array; b keeps them. */
struct mx_npy mx_bytes_npy(const struct mx_bytes *b);

#endif
