/* NumPy .npy files: arrays of plain numbers, little-endian, in C or Fortran order.
 *
 * Source: NumPy's format description, numpy/lib/format.py (versions 1.0, 2.0 and 3.0). Supported:
 * float16, 32 and 64, signed and unsigned integers of 8 to 64 bits. Other types are an error.
 * Functions return 0, or -1 with one line in err that names the file and the reason. */
#ifndef MX_NPY_H
#define MX_NPY_H

#include "case.h"

enum { MX_NPY_MAX_RANK = 32 };

struct mx_npy {
	char kind;      /* 'f', 'u' or 'i', as in NumPy */
	unsigned bytes; /* of one number */
	unsigned rank;
	size_t shape[MX_NPY_MAX_RANK];
	size_t count; /* total of numbers; the product of shape, 1 for rank 0 */
	void *data;   /* count * bytes, in C order for every file */
};

/* Reads a file ("-": standard input), or parses `n` bytes of a file called `name`. The caller frees
 * a->data with mx_npy_free; it is NULL after a failure. */
int mx_npy_read(const char *path, struct mx_npy *a, struct mx_error *err);
int mx_npy_parse(const char *name, const void *file, size_t n, struct mx_npy *a,
                 struct mx_error *err);
void mx_npy_free(struct mx_npy *a);

/* "f32", "u8", "i64": for messages. */
const char *mx_npy_type(const struct mx_npy *a);

/* The array as a matrix with rows along its last axis; all other axes count rows. A vector is one
 * row, and a number one element. -1 if the array is empty. */
int mx_npy_matrix(const char *name, const struct mx_npy *a, size_t *rows, size_t *cols,
                  struct mx_error *err);

/* Writes files, all of them or none, like mx_files_write in files.h. */
struct mx_npy_file {
	const char *path;
	const struct mx_npy *array;
};
int mx_npy_write(const struct mx_npy_file *files, size_t n, struct mx_error *err);

#endif
