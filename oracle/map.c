/* Where outputs are wrong. */
#include "map.h"

#include <stdlib.h>

#include "product.h"
#include "values.h"

/* ---- any output ---- */

static size_t cell_size(size_t n) {
	size_t size = 1;
	while ((n + size - 1) / size > MX_MAP_CELLS)
		size *= 2;
	return size;
}

static void lay_cells(struct mx_map *m) {
	m->cell_rows = cell_size(m->rows);
	m->cell_cols = cell_size(m->cols);
	m->n_rows = (unsigned)((m->rows + m->cell_rows - 1) / m->cell_rows);
	m->n_cols = (unsigned)((m->cols + m->cell_cols - 1) / m->cell_cols);
}

/* Returns whether an element is wrong; the first of them is (*row, *col). */
static bool count(struct mx_map *m, mx_map_element *each, void *context, size_t *row, size_t *col) {
	bool any = false;
	for (size_t i = 0; i < m->rows; i++)
		for (size_t k = 0; k < m->cols; k++) {
			struct mx_map_value v = { 0 };
			each(context, i, k, &v);
			m->wrong[i / m->cell_rows * m->n_cols + k / m->cell_cols] += v.wrong;
			if (!v.wrong || any)
				continue;
			any = true;
			*row = i, *col = k;
		}
	return any;
}

/* The window around an element begins here. */
static size_t start(size_t at, size_t n, size_t show) {
	size_t from = at > show / 2 ? at - show / 2 : 0;
	return n <= show ? 0 : from + show > n ? n - show : from;
}

static void look(struct mx_map *m, mx_map_element *each, void *context, size_t row, size_t col) {
	m->window_row = start(row, m->rows, MX_MAP_WINDOW_ROWS);
	m->window_col = start(col, m->cols, MX_MAP_WINDOW_COLS);
	m->window_rows = m->rows < MX_MAP_WINDOW_ROWS ? (unsigned)m->rows : MX_MAP_WINDOW_ROWS;
	m->window_cols = m->cols < MX_MAP_WINDOW_COLS ? (unsigned)m->cols : MX_MAP_WINDOW_COLS;
	for (unsigned i = 0; i < m->window_rows * m->window_cols; i++)
		each(context, m->window_row + i / m->window_cols,
		     m->window_col + i % m->window_cols, &m->window[i]);
}

void mx_map_add(struct mx_bench *b, const struct mx_buffer *of, size_t rows, size_t cols,
                mx_map_element *each, void *context) {
	size_t row = 0, col = 0;
	if ((!b->maps && !(b->maps = calloc(1, sizeof *b->maps))) || b->maps->n == MX_MAPS)
		return;
	struct mx_map *m = &b->maps->at[b->maps->n];
	*m = (struct mx_map){ .buffer = (unsigned)(of - b->plan.buffers),
		              .rows = rows,
		              .cols = cols,
		              .digits = (mx_code_bits(of->type) + 3) / 4 };
	lay_cells(m);
	if (!count(m, each, context, &row, &col))
		return;
	look(m, each, context, row, col);
	b->maps->n++;
}

struct mx_maps *mx_bench_take_maps(struct mx_bench *b) {
	struct mx_maps *maps = b->maps;
	b->maps = NULL;
	if (maps && maps->n)
		return maps;
	free(maps);
	return NULL;
}

/* ---- bytes ---- */

struct bytes {
	const struct bench_buffer *buffer;
	const struct mx_buffer *s, *of_want;
	const uint8_t *want;
};

static void of_bytes(void *context, size_t row, size_t col, struct mx_map_value *v) {
	const struct bytes *x = context;
	v->got = mx_code_in(x->s, x->buffer->after + x->s->guard, row, col);
	v->want = mx_code_in(x->of_want, x->want, row, col);
	v->got_value = mx_value(x->s->type, (const uint8_t *)&v->got, 0);
	v->want_value = mx_value(x->s->type, (const uint8_t *)&v->want, 0);
	v->unwritten = mx_is_marked(x->s, x->buffer->unwritten + x->s->guard, row, col);
	v->wrong = v->unwritten || v->got != v->want;
}

void mx_map_add_bytes(struct mx_bench *b, const struct mx_buffer *of, bool layout,
                      const uint8_t *want) {
	struct mx_buffer lines = *of;
	lines.packing.layout = NULL;
	struct bytes x = { &b->buffer[of - b->plan.buffers], of, layout ? of : &lines, want };
	mx_map_add(b, of, of->rows, of->cols, of_bytes, &x);
}

/* ---- a product ---- */

static void of_product(void *context, size_t row, size_t col, struct mx_map_value *v) {
	const struct mx_output *o = context;
	size_t at = row * o->g.n + col;
	*v = (struct mx_map_value){ o->got[at],
		                    o->want[at],
		                    mx_code_value(o->format, o->got[at]),
		                    mx_code_value(o->format, o->want[at]),
		                    o->differs[at] != 0,
		                    o->unwritten[at] != 0,
		                    false };
}

void mx_map_make(struct mx_bench *b, const struct mx_output *o) {
	if (o->wrong && !o->is_tile)
		mx_map_add(b, mx_plan_role(&b->plan, MX_ROLE_C), o->g.m, o->g.n, of_product,
		           (void *)o);
}
