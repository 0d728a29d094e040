/* Layouts: a slot's number is a mixed-radix number with digits from row and column. */
#include "layout.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 10 };
enum keep { KEEP_ALL, KEEP_FIRST };

struct field {
	enum { END, ROW, COL } axis;
	size_t divisor, count; /* count 0: derived from the padded matrix */
};

struct mx_layout {
	const char *name;
	mx_layout_use use;
	size_t slot, pad_rows, pad_cols;
	enum keep keep;
	struct field field[MAX_FIELDS + 1];
};

#define R(d, n)                                                                                    \
	{ ROW, d, n }
#define C(d, n)                                                                                    \
	{ COL, d, n }
#define RS(d)                                                                                      \
	{ ROW, d, 0 }
#define CS(d)                                                                                      \
	{ COL, d, 0 }

static const struct mx_layout layouts[] = {
#define MX_LAYOUT(id, name, use, slot, rows, cols, keep, ...)                                      \
	{ #name, MX_LAYOUT_##use, slot, rows, cols, keep, { __VA_ARGS__ } },
#include "layouts.def"
#undef MX_LAYOUT
};

const struct mx_layout *mx_layout_at(unsigned i) {
	return i < sizeof layouts / sizeof *layouts ? &layouts[i] : NULL;
}

const struct mx_layout *mx_layout_by_name(const char *name) {
	const struct mx_layout *l;
	for (unsigned i = 0; (l = mx_layout_at(i)); i++)
		if (!strcmp(l->name, name))
			return l;
	return NULL;
}

const char *mx_layout_name(const struct mx_layout *l) {
	return l->name;
}

mx_layout_use mx_layout_holds(const struct mx_layout *l) {
	return l->use;
}

/* The last field counts fastest. Slots wider than a byte hold one byte each. */
size_t mx_layout_run(const struct mx_layout *l) {
	const struct field *last = l->field;
	while (last[1].axis)
		last++;
	if (l->slot > 1 || last->axis != COL || last->divisor != 1)
		return 1;
	return last->count;
}

bool mx_layout_fill(const char *text, unsigned *fill) {
	char *end;
	*fill = MX_FILL_POISON;
	if (!text || !strcmp(text, "poison"))
		return true;
	if (!strcmp(text, "random")) {
		*fill = MX_FILL_RANDOM;
		return true;
	}
	unsigned long byte = strtoul(text, &end, 0);
	*fill = byte;
	return isdigit((unsigned char)*text) && !*end && byte < MX_FILL_POISON;
}

/* ---- slots ---- */

static size_t count_of(const struct mx_packing *p, const struct field *f) {
	if (f->count)
		return f->count;
	return (f->axis == ROW ? p->padded_rows : p->padded_cols) / f->divisor;
}

static size_t slot_of(const struct mx_packing *p, size_t row, size_t col) {
	size_t slot = 0;
	for (const struct field *f = p->layout->field; f->axis; f++) {
		size_t n = count_of(p, f);
		slot = slot * n + (f->axis == ROW ? row : col) / f->divisor % n;
	}
	return slot;
}

static void position_of(const struct mx_packing *p, size_t slot, size_t *row, size_t *col) {
	const struct field *f = p->layout->field;
	*row = *col = 0;
	while (f->axis)
		f++;
	while (f-- > p->layout->field) {
		size_t n = count_of(p, f);
		*(f->axis == ROW ? row : col) += slot % n * f->divisor;
		slot /= n;
	}
}

/* ---- sizes ---- */

static bool round_up(size_t x, size_t multiple, size_t *up) {
	return !__builtin_add_overflow(x, multiple - 1, up) && (*up -= *up % multiple, true);
}

static bool sizes(struct mx_packing *p, size_t pad_rows, size_t pad_cols) {
	return round_up(p->rows, pad_rows, &p->padded_rows) &&
	       round_up(p->cols, pad_cols, &p->padded_cols) &&
	       !__builtin_mul_overflow(p->padded_rows, p->padded_cols, &p->bytes) &&
	       !__builtin_mul_overflow(p->bytes, p->layout->slot, &p->bytes) &&
	       p->bytes <= INT64_MAX;
}

/* Whether the matrix consists of whole tiles, which a crop keeps. */
static bool is_whole(const struct mx_packing *p) {
	for (const struct field *f = p->layout->field; f->axis; f++)
		if (!f->count && (f->axis == ROW ? p->rows : p->cols) % f->divisor)
			return false;
	return true;
}

/* The number of bytes with slots outside the first rows and columns of the padded matrix. */
static size_t count_lost(const struct mx_packing *p) {
	size_t lost = 0;
	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->cols; c++) {
			size_t slot = slot_of(p, r, c);
			lost += slot / p->padded_cols >= p->rows ||
			        slot % p->padded_cols >= p->cols;
		}
	return lost;
}

/* A crop of whole tiles is a layout without padding. */
static int crop(struct mx_packing *p, const struct mx_packing_spec *spec, struct mx_error *err) {
	if (!is_whole(p))
		return mx_fail(err,
		               "layout %s crops %zu x %zu scales out of %zu x %zu, which loses "
		               "%zu of %zu",
		               spec->layout, p->rows, p->cols, p->padded_rows, p->padded_cols,
		               count_lost(p), p->rows * p->cols);
	p->padded_rows = p->rows;
	p->padded_cols = p->cols;
	p->bytes = p->rows * p->cols * p->layout->slot;
	return 0;
}

static int check_pad(const char *layout, const char *what, size_t pad, size_t unit,
                     struct mx_error *err) {
	if (pad % unit == 0)
		return 0;
	return mx_fail(err, "layout %s pads %s to a multiple of %zu, but %zu is not one", layout,
	               what, unit, pad);
}

int mx_packing_make(struct mx_packing *p, const struct mx_packing_spec *spec, size_t rows,
                    size_t cols, struct mx_error *err) {
	const struct mx_layout *l = mx_layout_by_name(spec->layout);
	*p = (struct mx_packing){ .layout = l, .rows = rows, .cols = cols, .fill = spec->fill };
	if (!l)
		return mx_fail(err, "no layout '%s'", spec->layout);
	if (spec->fill > MX_FILL_RANDOM)
		return mx_fail(err, "fill %u is not a byte", spec->fill);
	if (check_pad(spec->layout, "rows", spec->pad_rows, l->pad_rows, err) ||
	    check_pad(spec->layout, "columns", spec->pad_cols, l->pad_cols, err))
		return -1;
	if (!sizes(p, spec->pad_rows ? spec->pad_rows : l->pad_rows,
	           spec->pad_cols ? spec->pad_cols : l->pad_cols))
		return mx_fail(err, "layout %s: %zu x %zu bytes take more than 2^63", spec->layout,
		               rows, cols);
	return l->keep == KEEP_FIRST ? crop(p, spec, err) : 0;
}

/* ---- bytes ---- */

size_t mx_packing_at(const struct mx_packing *p, size_t row, size_t col) {
	return slot_of(p, row, col) * p->layout->slot;
}

bool mx_packing_from(const struct mx_packing *p, size_t at, size_t *row, size_t *col) {
	position_of(p, at / p->layout->slot, row, col);
	return *row < p->rows && *col < p->cols;
}

bool mx_packing_padding(const struct mx_packing *p, size_t from, size_t *first, size_t *end) {
	size_t row, col;
	bool whole = p->rows == p->padded_rows && p->cols == p->padded_cols;
	if (whole) /* each slot has an element */
		from = p->bytes;
	while (from < p->bytes && mx_packing_from(p, from, &row, &col))
		from += p->layout->slot;
	for (*first = *end = from; *end < p->bytes && !mx_packing_from(p, *end, &row, &col);)
		*end += p->layout->slot;
	return *first < *end;
}

uint8_t mx_packing_fill(const struct mx_packing *p, size_t at) {
	size_t slot = p->layout->slot;
	if (p->fill == MX_FILL_POISON)
		return MX_POISON;
	if (at % slot) /* little-endian */
		return 0;
	if (p->fill == MX_FILL_RANDOM) /* Fibonacci hashing */
		return (uint8_t)(at / slot * 0x9e3779b97f4a7c15u >> 56);
	return (uint8_t)p->fill;
}

static void fill_padding(const struct mx_packing *p, uint8_t *packed) {
	if (!p->fill)
		memset(packed, 0, p->bytes);
	for (size_t at = 0; p->fill && at < p->bytes; at++)
		packed[at] = mx_packing_fill(p, at);
}

void mx_pack(const struct mx_packing *p, const uint8_t *src, size_t ld, uint8_t *packed) {
	size_t slot = p->layout->slot;
	fill_padding(p, packed);
	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->cols; c++) {
			uint8_t *to = packed + mx_packing_at(p, r, c);
			memset(to, 0, slot);
			*to = src[r * ld + c];
		}
}

void mx_unpack(const struct mx_packing *p, const uint8_t *packed, uint8_t *dst, size_t ld) {
	for (size_t r = 0; r < p->rows; r++)
		for (size_t c = 0; c < p->cols; c++)
			dst[r * ld + c] = packed[mx_packing_at(p, r, c)];
}
