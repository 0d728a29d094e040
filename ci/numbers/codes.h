/* Codes and scales as the commands get them: typed, or as .npy files of uint8. */
#ifndef MX_CODES_H
#define MX_CODES_H

#include "../../cases/npy.h"

/* A matrix of bytes, one code or scale to a byte, row by row; one row if it was typed. */
struct mx_bytes {
	size_t rows, cols;
	uint8_t *v; /* owned; free() */
};

/* "0x7,2,0*30": numbers up to `max`, separated by commas, each repeated if "*N" follows. */
int mx_bytes_parse(const char *text, unsigned max, struct mx_bytes *b, struct mx_error *err);

/* A .npy file of uint8. */
int mx_bytes_read(const char *path, struct mx_bytes *b, struct mx_error *err);

/* Codes of a format: a list or a .npy file of one code to a byte; `packed`: of rows packed as
 * mx_elem_get reads them (the elements that whole bytes hold). */
int mx_codes_load(const char *text, mx_format f, bool packed, struct mx_bytes *b,
                  struct mx_error *err);

/* In place: rows of packed codes to `cols` codes, one to a byte; and back. */
int mx_codes_unpack(mx_format f, size_t cols, struct mx_bytes *b, struct mx_error *err);
int mx_codes_pack(mx_format f, struct mx_bytes *b, struct mx_error *err);

/* The same bytes as an array; b keeps them. */
struct mx_npy mx_bytes_npy(const struct mx_bytes *b);

#endif
