/* Where an output is wrong: counts over a grid of cells, and the values around the first wrong
 * element. */
#ifndef MX_MAP_H
#define MX_MAP_H

#include "bench.h"

enum { MX_MAPS = 4, MX_MAP_CELLS = 64, MX_MAP_WINDOW_ROWS = 9, MX_MAP_WINDOW_COLS = 8 };

struct mx_map {
	unsigned buffer;                             /* of the plan */
	size_t rows, cols;                           /* of the output */
	size_t cell_rows, cell_cols;                 /* elements of a cell */
	unsigned n_rows, n_cols;                     /* cells, at most MX_MAP_CELLS each */
	uint32_t wrong[MX_MAP_CELLS * MX_MAP_CELLS]; /* elements, row-major, n_cols in a row */

	unsigned digits; /* hexadecimal, of a code; a value that is no code has none */
	size_t window_row, window_col;
	unsigned window_rows, window_cols;
	struct mx_map_value {
		uint64_t got, want;
		double got_value, want_value;
		bool wrong, unwritten;
		bool no_code;                              /* what is wanted is a value alone */
	} window[MX_MAP_WINDOW_ROWS * MX_MAP_WINDOW_COLS]; /* row-major, window_cols in a row */
};

/* Of the outputs that are wrong, in the order in which they are judged. */
struct mx_maps {
	unsigned n;
	struct mx_map at[MX_MAPS];
};

/* The maps of the last judgement, for the caller to free; NULL: every output was right, or tiles
 * were judged. */
struct mx_maps *mx_bench_take_maps(struct mx_bench *b);

/* Adds the map of a wrong output to the bench, unless it has MX_MAPS: element (row, col) of rows x
 * cols is what `each` says. Short of memory there is none. */
typedef void mx_map_element(void *context, size_t row, size_t col, struct mx_map_value *v);
void mx_map_add(struct mx_bench *b, const struct mx_buffer *of, size_t rows, size_t cols,
                mx_map_element *each, void *context);

/* The same of a buffer that must have these bytes, in the device's layout or, without a layout, in
 * that of its data. Bytes that the launch did not write are wrong. */
void mx_map_add_bytes(struct mx_bench *b, const struct mx_buffer *of, bool layout,
                      const uint8_t *want);

#endif
