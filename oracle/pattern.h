/* The pattern of mismatches in a matrix. */
#ifndef MX_PATTERN_H
#define MX_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_mismatches {
	size_t rows, cols, wrong;
	const uint8_t *differs; /* rows * cols flags, `wrong` of them set */
};

/* A way to divide a matrix into cells: along each axis the cell of i is (i / div) % mod. div 0: the
 * axis is ignored; mod 0: no remainder is taken. */
struct mx_pattern {
	const char *name, *cell; /* "rows", "row" */
	struct mx_axis {
		unsigned div, mod;
	} row, col;
	bool bytes_only; /* only for matrices of bytes: scales */
};

/* How well a pattern describes the mismatches. */
struct mx_fit {
	const struct mx_pattern *pattern;
	size_t cells, hit; /* number of cells; number of cells with a mismatch */
	size_t inside;     /* elements in cells with a mismatch */
	double bits;       /* length of the description by cells, and by elements within them */
	double anywhere;   /* length of the description by elements alone */
	double chance;     /* -log2 of a bound on the probability of so good a fit by chance */
	size_t cell_cols;
	uint8_t *is_hit; /* for each cell, row-major; the caller frees it */
};

/* The pattern that describes the mismatches in the fewest bits, if random mismatches would save as
 * many bits with a probability below 1 in 20; otherwise pattern is NULL. A description that saves n
 * bits fits at most a fraction 2^-n of all sets of mismatches. So each pattern fits by chance with
 * probability 2^-n at most, and one of P patterns with P * 2^-n. -1: out of memory. */
int mx_pattern_fit(const struct mx_mismatches *p, bool bytes, struct mx_fit *best);

/* "rows: 2 of 80 hold all mismatches, 128 of their 128 elements; row 3, 17", or "". */
void mx_pattern_text(const struct mx_mismatches *p, const struct mx_fit *f, char *text,
                     size_t room);

#endif
