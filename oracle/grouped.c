/* The products of a grouped GEMM, one exact_gemm for each group. */
#include "grouped.h"
#include "product.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

/* ---- shapes ---- */

/* An unknown format may have any width: exact_gemm rejects it. */
static unsigned bits_of(const char *format) {
	mx_format f;
	return mx_format_by_name(format, &f) ? mx_format_info(f)->bits : 8;
}

static uint64_t tokens(const struct mx_grouped *g, size_t group) {
	return g->rows ? g->rows[group] : g->begin[group + 1] - g->begin[group];
}

static int check_groups(const struct mx_grouped *g, struct mx_error *err) {
	for (size_t i = 0; i < g->groups; i++) {
		uint64_t from = g->begin[i], to = g->begin[i + 1];
		if (from > to)
			return mx_fail(err,
			               "group %zu begins at row %" PRIu64
			               ", but the next group at row %" PRIu64,
			               i, from, to);
		if (tokens(g, i) > to - from)
			return mx_fail(err, "group %zu has %" PRIu64 " rows, but room for %" PRIu64,
			               i, tokens(g, i), to - from);
	}
	return 0;
}

static bool fits(size_t a, size_t b, size_t c) {
	size_t bytes;
	return !__builtin_mul_overflow(a, b, &bytes) && !__builtin_mul_overflow(bytes, c, &bytes) &&
	       bytes <= INT64_MAX;
}

/* Elements in a row of either operand. */
static size_t inner(const struct mx_grouped *g) {
	return g->kind == MX_FORWARD ? g->k : g->kind == MX_DGRAD ? g->n : g->begin[g->groups];
}

/* The rows of the storage are columns of wgrad's operands: they must fit a line. */
static int check_lines(const struct mx_grouped *g, const struct exact_operand *o,
                       struct mx_error *err) {
	size_t bits = bits_of(o->format), rows = g->begin[g->groups];
	if (g->kind != MX_WGRAD || (rows <= SIZE_MAX / 8 && o->ld >= (rows * bits + 7) / 8))
		return 0;
	return mx_fail(err, "%zu rows of %s do not fit lines of %zu bytes", rows, o->format, o->ld);
}

int mx_grouped_size(const struct mx_grouped *g, size_t *rows, size_t *cols, struct mx_error *err) {
	if (check_groups(g, err) || check_lines(g, &g->left, err) || check_lines(g, &g->right, err))
		return -1;
	size_t all = g->begin[g->groups];
	*cols = g->kind == MX_FORWARD ? g->n : g->k;
	bool good = !g->groups || fits(g->groups, g->n, g->k);
	*rows = g->kind == MX_WGRAD ? g->groups * g->n : all;
	size_t left = g->kind == MX_WGRAD ? g->n : all;
	size_t right = g->kind == MX_WGRAD ? g->k : *cols;
	good = good && fits(*rows, *cols, sizeof(uint32_t)) && fits(left, g->left.ld, 1) &&
	       fits(right, g->right.ld, 1) && fits(left, inner(g), 1) && fits(right, inner(g), 1) &&
	       (g->kind == MX_WGRAD ||
	        (fits(g->groups, g->right_stride, 1) && fits(g->groups, g->right_scale_stride, 1)));
	return good ? 0
	            : mx_fail(err, "%zu groups of %zu x %zu in %zu rows: a size is over 2^63 bytes",
	                      g->groups, g->n, g->k, all);
}

/* ---- operands of a group ---- */

/* The operand from column `row` on. Its scales begin at `block`. */
static int from_column(struct exact_operand *o, size_t group, size_t row, size_t block,
                       struct mx_error *err) {
	size_t bits = bits_of(o->format);
	if (row % 8 * bits % 8)
		return mx_fail(err, "group %zu begins at row %zu, inside a byte of %s", group, row,
		               o->format);
	o->codes += row / 8 * bits + row % 8 * bits / 8;
	o->scales += block;
	return 0;
}

static int first_block(const struct mx_grouped *g, size_t group, size_t *block,
                       struct mx_error *err) {
	*block = 0;
	if (g->blocks == MX_BLOCKS_BY_GROUP) {
		for (size_t i = 0; i < group; i++)
			*block += tokens(g, i) / BLOCK + (tokens(g, i) % BLOCK != 0);
		return 0;
	}
	*block = g->begin[group] / BLOCK;
	if (g->begin[group] % BLOCK == 0)
		return 0;
	return mx_fail(err, "group %zu begins at row %" PRIu64 ", inside a block of %d", group,
	               g->begin[group], BLOCK);
}

static int gemm_of(const struct mx_grouped *g, size_t group, struct exact_gemm *x,
                   struct mx_error *err) {
	size_t row = g->begin[group], m = tokens(g, group), block;
	bool dgrad = g->kind == MX_DGRAD;
	if (g->kind != MX_WGRAD) {
		*x = (struct exact_gemm){ m,
			                  dgrad ? g->k : g->n,
			                  dgrad ? g->n : g->k,
			                  mx_operand_from(g->left, row),
			                  g->right,
			                  g->threads,
			                  g->k_tile };
		x->b.codes += group * g->right_stride;
		x->b.scales += group * g->right_scale_stride;
		return 0;
	}
	*x = (struct exact_gemm){ g->n, g->k, m, g->left, g->right, g->threads, g->k_tile };
	if (first_block(g, group, &block, err) || from_column(&x->a, group, row, block, err))
		return -1;
	return from_column(&x->b, group, row, block, err);
}

/* ---- all groups ---- */

static int group_fail(size_t group, enum exact_status s, struct mx_error *err) {
	return mx_fail(err, "group %zu: %s", group, exact_strerror(s));
}

static bool has_work(const struct mx_grouped *g, size_t group) {
	return tokens(g, group) && g->n && g->k;
}

int mx_grouped_regime(const struct mx_grouped *g, bool *holds, char *why, size_t why_size,
                      struct mx_error *err) {
	size_t rows, cols;
	*holds = true;
	if (mx_grouped_size(g, &rows, &cols, err))
		return -1;
	for (size_t i = 0; i < g->groups && *holds; i++) {
		struct exact_gemm x;
		char reason[256];
		if (!has_work(g, i))
			continue;
		if (gemm_of(g, i, &x, err))
			return -1;
		enum exact_status s = exact_regime(&x, holds, reason, sizeof reason);
		if (s != EXACT_OK)
			return group_fail(i, s, err);
		if (!*holds)
			snprintf(why, why_size, "group %zu: %s", i, reason);
	}
	return 0;
}

/* Computes a group's product, whose element 0, 0 is element `first` of out. */
typedef enum exact_status multiplies(const struct mx_grouped *g, const struct exact_gemm *x,
                                     size_t first, void *out);

static int multiply_groups(const struct mx_grouped *g, multiplies *multiply, void *out,
                           size_t element, struct mx_error *err) {
	size_t rows, cols;
	if (mx_grouped_size(g, &rows, &cols, err))
		return -1;
	memset(out, 0, rows * cols * element); /* value of empty groups and padding */
	for (size_t i = 0; i < g->groups; i++) {
		struct exact_gemm x;
		size_t first = g->kind == MX_WGRAD ? i * g->n : g->begin[i];
		if (!has_work(g, i))
			continue;
		if (gemm_of(g, i, &x, err))
			return -1;
		enum exact_status s = multiply(g, &x, first * cols, out);
		if (s != EXACT_OK)
			return group_fail(i, s, err);
	}
	return 0;
}

static enum exact_status in_f32(const struct mx_grouped *g, const struct exact_gemm *x,
                                size_t first, void *out) {
	uint32_t *to = (uint32_t *)out + first;
	return g->member    ? exact_member_product(x, g->member, g->mma_k, to)
	       : g->profile ? exact_profile(x, g->profile, g->mma_k, to)
	                    : exact_product(x, to);
}

static enum exact_status in_f64(const struct mx_grouped *g, const struct exact_gemm *x,
                                size_t first, void *out) {
	double *a = malloc(x->m * x->k * sizeof *a), *b = malloc(x->n * x->k * sizeof *b);
	enum exact_status s = a && b ? exact_dequantise(&x->a, x->m, x->k, a) : EXACT_NO_MEMORY;
	(void)g;
	if (s == EXACT_OK)
		s = exact_dequantise(&x->b, x->n, x->k, b);
	if (s == EXACT_OK)
		exact_dgemm_nt(x->m, x->n, x->k, a, b, (double *)out + first);
	free(a);
	free(b);
	return s;
}

int mx_grouped_expect(const struct mx_grouped *g, uint32_t *out, struct mx_error *err) {
	return multiply_groups(g, in_f32, out, sizeof *out, err);
}

int mx_grouped_f64(const struct mx_grouped *g, double *out, struct mx_error *err) {
	return multiply_groups(g, in_f64, out, sizeof *out, err);
}
