/* Where an output is wrong. */
#include "map.h"

#include <stdlib.h>

#include "product.h"

static size_t cell_size(size_t n) {
	size_t size = 1;
	while ((n + size - 1) / size > MX_MAP_CELLS)
		size *= 2;
	return size;
}

static void count(const struct mx_output *o, struct mx_map *m) {
	m->cell_rows = cell_size(m->rows);
	m->cell_cols = cell_size(m->cols);
	m->n_rows = (unsigned)((m->rows + m->cell_rows - 1) / m->cell_rows);
	m->n_cols = (unsigned)((m->cols + m->cell_cols - 1) / m->cell_cols);
	for (size_t i = 0; i < m->rows; i++)
		for (size_t k = 0; k < m->cols; k++)
			m->wrong[i / m->cell_rows * m->n_cols + k / m->cell_cols] +=
				o->differs[i * m->cols + k] != 0;
}

/* The window around an element begins here. */
static size_t start(size_t at, size_t n, size_t show) {
	size_t from = at > show / 2 ? at - show / 2 : 0;
	return n <= show ? 0 : from + show > n ? n - show : from;
}

static void look(const struct mx_output *o, struct mx_map *m) {
	m->window_row = start(o->first / m->cols, m->rows, MX_MAP_WINDOW_ROWS);
	m->window_col = start(o->first % m->cols, m->cols, MX_MAP_WINDOW_COLS);
	m->window_rows = m->rows < MX_MAP_WINDOW_ROWS ? (unsigned)m->rows : MX_MAP_WINDOW_ROWS;
	m->window_cols = m->cols < MX_MAP_WINDOW_COLS ? (unsigned)m->cols : MX_MAP_WINDOW_COLS;
	for (unsigned i = 0; i < m->window_rows * m->window_cols; i++) {
		size_t at = (m->window_row + i / m->window_cols) * m->cols + m->window_col +
		            i % m->window_cols;
		m->window[i] = (struct mx_map_value){ o->got[at],
			                              o->want[at],
			                              mx_code_value(o->format, o->got[at]),
			                              mx_code_value(o->format, o->want[at]),
			                              o->differs[at] != 0,
			                              o->unwritten[at] != 0 };
	}
}

void mx_map_make(struct mx_bench *b, const struct mx_output *o) {
	free(b->map);
	b->map = NULL;
	if (!o->wrong || o->is_tile || !(b->map = calloc(1, sizeof *b->map)))
		return;
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	b->map->buffer = (unsigned)(c - b->plan.buffers);
	b->map->rows = o->g.m;
	b->map->cols = o->g.n;
	b->map->digits = (unsigned)mx_code_digits(o->format);
	count(o, b->map);
	look(o, b->map);
}

struct mx_map *mx_bench_take_map(struct mx_bench *b) {
	struct mx_map *m = b->map;
	b->map = NULL;
	return m;
}
