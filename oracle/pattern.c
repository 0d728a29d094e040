/* The pattern that describes mismatches in the fewest bits. */
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Tiles of the matrix instructions and of kernels; lanes and registers repeat every 4, 16 and
 * 32 rows and columns; a scale word holds the bytes of four blocks. */
static const struct mx_pattern patterns[] = {
	{ "rows", "row", { 1, 0 }, { 0, 0 }, false },
	{ "columns", "column", { 0, 0 }, { 1, 0 }, false },
	{ "16x16 tiles", "tile", { 16, 0 }, { 16, 0 }, false },
	{ "32x32 tiles", "tile", { 32, 0 }, { 32, 0 }, false },
	{ "128x128 tiles", "tile", { 128, 0 }, { 128, 0 }, false },
	{ "128-high bands of rows", "band", { 128, 0 }, { 0, 0 }, false },
	{ "128-wide bands of columns", "band", { 0, 0 }, { 128, 0 }, false },
	{ "rows modulo 4", "remainder", { 1, 4 }, { 0, 0 }, false },
	{ "rows modulo 16", "remainder", { 1, 16 }, { 0, 0 }, false },
	{ "rows modulo 32", "remainder", { 1, 32 }, { 0, 0 }, false },
	{ "columns modulo 16", "remainder", { 0, 0 }, { 1, 16 }, false },
	{ "columns modulo 32", "remainder", { 0, 0 }, { 1, 32 }, false },
	{ "bytes of the scale word (columns modulo 4)", "byte", { 0, 0 }, { 1, 4 }, true },
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static size_t axis_cells(struct mx_axis x, size_t n) {
	size_t cells = x.div ? (n + x.div - 1) / x.div : 1;
	return x.mod && cells > x.mod ? x.mod : cells;
}

static size_t axis_cell(struct mx_axis x, size_t i) {
	size_t cell = x.div ? i / x.div : 0;
	return x.mod ? cell % x.mod : cell;
}

/* log2 of the number of ways to choose k of n, and of the number k itself. */
static double choice_bits(size_t n, size_t k) {
	double N = (double)n, K = (double)k;
	return (lgamma(N + 1) - lgamma(K + 1) - lgamma(N - K + 1)) / log(2) + log2(N + 1);
}

static int fit(const struct mx_mismatches *d, const struct mx_pattern *p, struct mx_fit *f) {
	size_t rows = axis_cells(p->row, d->rows), cols = axis_cells(p->col, d->cols);
	*f = (struct mx_fit){ .pattern = p, .cells = rows * cols, .cell_cols = cols };
	if (!(f->is_hit = calloc(f->cells, 1)))
		return -1;
	for (size_t i = 0; i < d->rows * d->cols; i++)
		f->is_hit[axis_cell(p->row, i / d->cols) * cols + axis_cell(p->col, i % d->cols)] |=
			d->differs[i];
	for (size_t i = 0; i < d->rows * d->cols; i++)
		f->inside += f->is_hit[axis_cell(p->row, i / d->cols) * cols +
		                       axis_cell(p->col, i % d->cols)];
	for (size_t i = 0; i < f->cells; i++)
		f->hit += f->is_hit[i];
	f->anywhere = choice_bits(d->rows * d->cols, d->wrong);
	f->bits = choice_bits(f->cells, f->hit) + choice_bits(f->inside, d->wrong);
	f->chance = f->anywhere - f->bits - log2(PATTERNS);
	return 0;
}

int mx_pattern_fit(const struct mx_mismatches *d, bool bytes, struct mx_fit *best) {
	*best = (struct mx_fit){ 0 };
	double chance = -log2(0.05);
	for (size_t i = 0; i < PATTERNS; i++) {
		struct mx_fit f;
		if (patterns[i].bytes_only && !bytes)
			continue;
		if (fit(d, &patterns[i], &f))
			return -1;
		if (f.chance > chance) {
			chance = f.chance;
			free(best->is_hit);
			*best = f;
		} else
			free(f.is_hit);
	}
	return 0;
}

void mx_pattern_text(const struct mx_mismatches *d, const struct mx_fit *f, char *text,
                     size_t room) {
	size_t n, shown = 0;
	text[0] = 0;
	if (!f->pattern)
		return;
	n = (size_t)snprintf(text, room,
	                     "%s: %zu of %zu hold%s all mismatches, %zu of their %zu elements; %s",
	                     f->pattern->name, f->hit, f->cells, f->hit == 1 ? "s" : "", d->wrong,
	                     f->inside, f->pattern->cell);
	for (size_t i = 0; i < f->cells && shown < 8 && n < room; i++) {
		const char *lead = shown ? ", " : " ";
		if (!f->is_hit[i])
			continue;
		shown++;
		if (f->pattern->row.div && f->pattern->col.div)
			n += (size_t)snprintf(text + n, room - n, "%s[%zu][%zu]", lead,
			                      i / f->cell_cols, i % f->cell_cols);
		else
			n += (size_t)snprintf(text + n, room - n, "%s%zu", lead, i);
	}
	if (f->hit > shown && n < room)
		snprintf(text + n, room - n, ", ...");
}
