/* Two arrays of the same type and shape: where they differ, by how much, in which pattern. */
#ifndef MX_DIFF_H
#define MX_DIFF_H

#include "../cases/npy.h"

/* Distances in ULP: 0 (-0 against +0), 1, 2, 3-4, 5-8, ... up to 2^64. */
enum { MX_ULP_BUCKETS = 66 };

struct mx_diff {
	size_t rows, cols;
	size_t wrong, first; /* elements that differ; the first of them, row by row */
	uint8_t *differs;    /* rows * cols flags */
	size_t nan_payloads; /* NaN in both, with other bits: not counted as wrong */
	size_t not_finite;   /* of the wrong ones: NaN or infinity on one side, no distance */
	size_t histogram[MX_ULP_BUCKETS];
	uint64_t ulp_max;
	size_t ulp_max_at;
	double snr;       /* as mx_snr; NaN where there is no signal */
	double row_error; /* the largest |a - b| / |a| of a row, in the Euclidean norm */
	size_t row_error_at;
};

/* a is the reference. Both hold rows * cols numbers of one type; bf16: read 16-bit integers as
 * bfloat16. Integers are one ULP apart from their neighbours. -1 if out of memory. d->differs
 * belongs to the caller, who frees it with mx_diff_free. */
int mx_diff_make(const struct mx_npy *a, const struct mx_npy *b, size_t rows, size_t cols,
                 bool bf16, struct mx_diff *d);
void mx_diff_free(struct mx_diff *d);

/* The value of element i: exact but for integers above 2^53. */
double mx_npy_value(const struct mx_npy *a, bool bf16, size_t i);

/* ---- patterns ---- */

/* A way to cut a matrix into cells: along each axis the cell of i is (i / div) % mod. div 0:
 * the axis does not matter; mod 0: no remainder is taken. */
struct mx_pattern {
	const char *name, *cell; /* "rows", "row" */
	struct mx_axis {
		unsigned div, mod;
	} row, col;
	bool bytes_only; /* means something for bytes alone: scales */
};

/* How well one explains the mismatches. */
struct mx_fit {
	const struct mx_pattern *pattern;
	size_t cells, hit; /* cells; those with a mismatch */
	size_t inside;     /* elements of the hit cells */
	double bits;       /* to write down which cells are hit and which elements in them */
	double anywhere;   /* to write down which elements, without cells */
	double chance;     /* -log2 of how often random places would fit any pattern so well */
	size_t cell_cols;
	uint8_t *is_hit; /* for each cell, row by row; the caller frees it */
};

/* The pattern that describes the mismatches in the fewest bits, if it saves so many that of
 * mismatches at random places fewer than 1 in 20 would: pattern NULL otherwise. A description
 * that saves n bits fits at most a fraction 2^-n of all sets of places, so each pattern may do
 * that by chance with probability 2^-n at most, and one of P with P * 2^-n. -1: no memory. */
int mx_diff_pattern(const struct mx_diff *d, bool bytes, struct mx_fit *best);

#endif
