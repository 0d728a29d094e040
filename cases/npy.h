/* NumPy .npy files: arrays of plain numbers, little-endian, in C or Fortran order.
 *
 * Source: NumPy's format description, numpy/lib/format.py (versions 1.0, 2.0 and 3.0).
 * What is read: float16, 32 and 64, signed and unsigned integers of 8 to 64 bits. Everything
 * else is refused with one line that says which file and why. Functions return 0, or -1 with
 * that line in err.
 */
#ifndef MX_NPY_H
#define MX_NPY_H

#include "case.h"

enum { MX_NPY_MAX_RANK = 32 };

struct mx_npy {
	char kind;      /* 'f', 'u' or 'i', as NumPy has it */
	unsigned bytes; /* of one number */
	unsigned rank;
	size_t shape[MX_NPY_MAX_RANK];
	size_t count; /* numbers in all; the product of shape, 1 for rank 0 */
	void *data;   /* count * bytes, in C order whatever the file has */
};

/* Reads a file ("-": standard input), or parses `n` bytes of one called `name`. a->data belongs to the caller, who
 * frees it with mx_npy_free; it is NULL after a failure. */
int mx_npy_read(const char *path, struct mx_npy *a, struct mx_error *err);
int mx_npy_parse(const char *name, const void *file, size_t n, struct mx_npy *a,
                 struct mx_error *err);
void mx_npy_free(struct mx_npy *a);

/* "f32", "u8", "i64": for messages. */
const char *mx_npy_type(const struct mx_npy *a);

/* The array as a matrix of rows along its last axis, the axes before counted through: a vector is
 * one row, and a number one element. -1 if nothing is in it. */
int mx_npy_matrix(const char *name, const struct mx_npy *a, size_t *rows, size_t *cols,
                  struct mx_error *err);

/* Writes files, all of them or none, as mx_files_write in files.h does. */
struct mx_npy_file {
	const char *path;
	const struct mx_npy *array;
};
int mx_npy_write(const struct mx_npy_file *files, size_t n, struct mx_error *err);

#endif
