/* Where an output is wrong: counts over a grid of cells, and the values around the first wrong
 * element. */
#ifndef MX_MAP_H
#define MX_MAP_H

#include "bench.h"

enum { MX_MAP_CELLS = 64, MX_MAP_WINDOW_ROWS = 9, MX_MAP_WINDOW_COLS = 8 };

struct mx_map {
	unsigned buffer;                             /* of the plan */
	size_t rows, cols;                           /* of the output */
	size_t cell_rows, cell_cols;                 /* elements of a cell */
	unsigned n_rows, n_cols;                     /* cells, at most MX_MAP_CELLS each */
	uint32_t wrong[MX_MAP_CELLS * MX_MAP_CELLS]; /* elements, row-major, n_cols in a row */

	unsigned digits; /* hexadecimal, of a code */
	size_t window_row, window_col;
	unsigned window_rows, window_cols;
	struct mx_map_value {
		uint32_t got, want;
		double got_value, want_value;
		bool wrong, unwritten;
	} window[MX_MAP_WINDOW_ROWS * MX_MAP_WINDOW_COLS]; /* row-major, window_cols in a row */
};

/* The map of the last judgement, for the caller to free; NULL: the output was right, or was not
 * compared as one matrix. */
struct mx_map *mx_bench_take_map(struct mx_bench *b);

#endif
