/* Which pattern places of a matrix follow. */
#ifndef MX_PATTERN_H
#define MX_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_places {
	size_t rows, cols, wrong;
	const uint8_t *differs; /* rows * cols flags, `wrong` of them set */
};

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
int mx_pattern_fit(const struct mx_places *p, bool bytes, struct mx_fit *best);

/* "rows: 2 of 80 hold all mismatches, 128 of their 128 elements; row 3, 17", or "". */
void mx_pattern_text(const struct mx_places *p, const struct mx_fit *f, char *text, size_t room);

#endif
