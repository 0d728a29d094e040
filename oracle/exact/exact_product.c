/* The whole product, rounded once: by OpenBLAS in f64 if that is sufficient, else by the walk.
 *
 * Elements with their scales are f64, and so are their products, of at most 8 bits and an exponent
 * within 300. The error of an f64 sum of K products, in any order and tree, is at most K 2^-53
 * times the sum of their magnitudes. That sum is at most |a| |b|, the Euclidean norms of the rows
 * (Cauchy and Schwarz). Rows are multiples of units 2^p and 2^q. If |a| |b| is below 2^(53 + p +
 * q), every partial sum is exact, and so is the whole. Otherwise the sum lies between two f64; if
 * both round to the same number, that is the result (Ziv's strategy). */
#include "fast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_ROWS = 256, PANEL_COLUMNS = 1024, NO_UNIT = 4000, BIAS = 127, NAN_SCALE = 0xff };
#define SLACK 1.000001 /* for rounding errors of the norms and bounds */

/* ---- rows ---- */

struct row {
	double norm; /* at least the true norm */
	int unit;    /* every element is a multiple of 2^unit */
	unsigned special;
};

struct panel {
	struct exact_operand operand;
	struct fast_codes codes;
	int lsb;
	size_t first, rows, k;
	double *x; /* [rows][k] */
	struct row *row;
};

static unsigned code_flags(double x) {
	return isnan(x) ? EXACT_NAN : isinf(x) ? EXACT_INF : 0;
}

static void read_block(const struct panel *p, const uint8_t *codes, int scale, size_t b, double *x,
                       struct row *row, double *squares) {
	uint8_t code[EXACT_BLOCK];
	uint64_t bits = 0;
	size_t left = p->k - b * EXACT_BLOCK, n = left < EXACT_BLOCK ? left : EXACT_BLOCK;
	double power = ldexp(1, scale - BIAS), sum = 0;
	fast_unpack(&p->codes, codes, b, p->k, code);
	for (size_t i = 0; i < n; i++) {
		double value = p->codes.value[code[i]];
		bits |= (uint64_t)llabs(p->codes.sig[code[i]]);
		row->special |= code_flags(value);
		x[i] = value * power;
		sum += x[i] * x[i];
	}
	*squares += sum;
	row->special |= scale == NAN_SCALE ? EXACT_NAN : 0;
	int unit = bits ? scale - BIAS + p->lsb + __builtin_ctzll(bits) : NO_UNIT;
	row->unit = unit < row->unit ? unit : row->unit;
}

/* A row with a NaN or an infinity is replaced by zeros. */
static void read_row(const struct panel *p, size_t i) {
	const struct exact_operand *o = &p->operand;
	const uint8_t *codes = o->codes + (p->first + i) * o->ld;
	const uint8_t *scales = o->scales + (p->first + i) * o->ld_scales;
	struct row row = { .unit = NO_UNIT };
	double squares = 0;
	for (size_t b = 0; b * EXACT_BLOCK < p->k; b++)
		read_block(p, codes, scales[b], b, p->x + i * p->k + b * EXACT_BLOCK, &row,
		           &squares);
	if (row.special)
		memset(p->x + i * p->k, 0, p->k * sizeof *p->x);
	row.norm = sqrt(squares) * SLACK;
	p->row[i] = row;
}

static void read_panel(struct panel *p, size_t first, size_t rows) {
	p->first = first;
	p->rows = rows;
	for (size_t i = 0; i < rows; i++)
		read_row(p, i);
}

static bool make_panel(struct panel *p, const struct exact_operand *o, size_t rows, size_t k) {
	const struct exact_format *f = exact_format(o->format);
	*p = (struct panel){ .operand = *o, .lsb = exact_format_lsb(f), .k = k };
	fast_list_codes(f, &p->codes);
	p->x = malloc((rows * k + 1) * sizeof *p->x);
	p->row = malloc((rows + 1) * sizeof *p->row);
	return p->x && p->row;
}

/* ---- elements ---- */

struct product {
	const struct exact_gemm *g;
	enum exact_output output;
	struct panel a, b;
	double *d; /* [a.rows][b.rows] */
	uint32_t *out;
};

/* An f64 rounded to odd: the last of 24 bits is set if the number is not exact, so that a second
 * rounding to at most 22 bits is correct. */
static uint32_t odd_f32(double x) {
	float f = (float)x;
	uint32_t bits = exact_bits(f);
	if ((double)f == x || bits & 1)
		return bits;
	return fabs((double)f) > fabs(x) ? bits - 1 : bits + 1;
}

static uint32_t rounded(double x, enum exact_output to) {
	return to == EXACT_F32 ? exact_bits((float)x) : exact_narrow(odd_f32(x), to);
}

/* One element by the walk. */
static enum exact_status walk_one(const struct product *p, size_t row, size_t col, uint32_t *to) {
	struct exact_gemm one = *p->g;
	one.m = one.n = 1;
	one.a.codes += row * one.a.ld, one.a.scales += row * one.a.ld_scales;
	one.b.codes += col * one.b.ld, one.b.scales += col * one.b.ld_scales;
	return exact_product_plain(&one, p->output, to);
}

/* Whether rows i and j and their sum determine the element. */
static bool decide(const struct product *p, size_t i, size_t j, uint32_t *to) {
	const struct row *a = &p->a.row[i], *b = &p->b.row[j];
	enum { BITS = 53 };
	double most = a->norm * b->norm, sum = p->d[i * p->b.rows + j];
	if ((a->special | b->special) & EXACT_NAN) {
		*to = exact_narrow(0x7fc00000, p->output);
		return true;
	}
	if (a->special || b->special)
		return false;
	if (ldexp(most, -(a->unit + b->unit)) < 0x1p53) {
		*to = sum == 0 ? 0 : rounded(sum, p->output);
		return true;
	}
	double error = ldexp(most, -BITS) * (double)(p->g->k + 2) * SLACK;
	*to = rounded(sum - error, p->output);
	return *to == rounded(sum + error, p->output);
}

static enum exact_status finish(const struct product *p) {
	for (size_t i = 0; i < p->a.rows; i++)
		for (size_t j = 0; j < p->b.rows; j++) {
			size_t row = p->a.first + i, col = p->b.first + j;
			uint32_t *to = &p->out[row * p->g->n + col];
			enum exact_status status = EXACT_OK;
			if (!decide(p, i, j, to))
				status = walk_one(p, row, col, to);
			if (status)
				return status;
		}
	return EXACT_OK;
}

/* ---- panels ---- */

static size_t smaller(size_t x, size_t y) {
	return x < y ? x : y;
}

static enum exact_status multiply(struct product *p) {
	const struct exact_gemm *g = p->g;
	for (size_t col = 0; col < g->n; col += PANEL_COLUMNS) {
		read_panel(&p->b, col, smaller(PANEL_COLUMNS, g->n - col));
		for (size_t row = 0; row < g->m; row += PANEL_ROWS) {
			read_panel(&p->a, row, smaller(PANEL_ROWS, g->m - row));
			exact_dgemm_nt(p->a.rows, p->b.rows, g->k, p->a.x, p->b.x, p->d);
			enum exact_status status = finish(p);
			if (status)
				return status;
		}
	}
	return EXACT_OK;
}

enum exact_status exact_product_as(const struct exact_gemm *g, enum exact_output output,
                                   uint32_t *out) {
	struct product p = { .g = g, .output = output, .out = out };
	if (!exact_plain_scales(&g->a) || !exact_plain_scales(&g->b))
		return exact_items_product(g, output, out);
	size_t rows = smaller(PANEL_ROWS, g->m), columns = smaller(PANEL_COLUMNS, g->n);
	enum exact_status status = exact_operand_check(&g->a, g->m, g->k, 1);
	if (!status)
		status = exact_operand_check(&g->b, g->n, g->k, 1);
	if (status)
		return status;
	p.d = malloc((rows * columns + 1) * sizeof *p.d);
	bool a = make_panel(&p.a, &g->a, rows, g->k), b = make_panel(&p.b, &g->b, columns, g->k);
	status = p.d && a && b ? multiply(&p) : EXACT_NO_MEMORY;
	free(p.d);
	free(p.a.x), free(p.a.row);
	free(p.b.x), free(p.b.row);
	return status;
}

enum exact_status exact_product(const struct exact_gemm *g, uint32_t *out) {
	return exact_product_as(g, EXACT_F32, out);
}
