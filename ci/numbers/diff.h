/* The differences of two arrays of the same type and shape: their places and sizes. */
#ifndef MX_DIFF_H
#define MX_DIFF_H

#include "../../cases/npy.h"

/* Distances in ULP: 0 (-0 against +0), 1, 2, 3-4, 5-8, ... up to 2^64. */
enum { MX_ULP_BUCKETS = 66 };

struct mx_diff {
	size_t rows, cols;
	size_t wrong, first; /* elements that differ; the first of them, row by row */
	uint8_t *differs;    /* rows * cols flags */
	size_t nan_payloads; /* NaN in both, with different bits: not counted as wrong */
	size_t not_finite;   /* wrong elements with NaN or infinity, which have no distance */
	size_t histogram[MX_ULP_BUCKETS];
	uint64_t ulp_max;
	size_t ulp_max_at;
	double snr;       /* as mx_snr; NaN if there is no signal */
	double row_error; /* the largest |a - b| / |a| of a row, in the Euclidean norm */
	size_t row_error_at;
};

/* a is the reference. Both hold rows * cols numbers of one type; bf16: read 16-bit integers as
 * bfloat16. Adjacent integers are one ULP apart. -1 if out of memory. The caller frees d with
 * mx_diff_free. */
int mx_diff_make(const struct mx_npy *a, const struct mx_npy *b, size_t rows, size_t cols,
                 bool bf16, struct mx_diff *d);
void mx_diff_free(struct mx_diff *d);

/* The value of element i, exact except for integers above 2^53. */
double mx_npy_value(const struct mx_npy *a, bool bf16, size_t i);

#endif
