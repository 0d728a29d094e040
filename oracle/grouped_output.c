/* Comparison of a grouped GEMM's output: the group, its row, and whether the row is padding. */
#include "grouped.h"

#include <stdio.h>
#include <string.h>

struct output {
	const uint32_t *expected;
	const uint8_t *got, *unwritten;
	unsigned bytes;
	bool f16;
	size_t cols;
};

static uint32_t poison_of(const struct output *o) {
	return o->bytes == 2 ? 0xffff : 0xffffffff;
}

static uint32_t got_at(const struct output *o, size_t i) {
	uint32_t v = 0;
	memcpy(&v, o->got + i * o->bytes, o->bytes); /* little-endian */
	return v;
}

static bool is_nan(const struct output *o, uint32_t v) {
	if (o->f16)
		return (v & 0x7fff) > 0x7c00;
	return ((o->bytes == 2 ? v << 16 : v) & 0x7fffffff) > 0x7f800000;
}

/* The expected code of element i in the output's type. */
static uint32_t want_at(const struct output *o, const struct mx_grouped *g, size_t i,
                        bool padding) {
	if (padding)
		return g->padding == MX_PADDING_KEPT ? poison_of(o) : 0;
	return o->bytes == 4 ? o->expected[i]
	                     : exact_narrow(o->expected[i], o->f16 ? EXACT_F16 : EXACT_BF16);
}

static bool is_kept(const struct mx_grouped *g, bool padding) {
	return padding && g->padding == MX_PADDING_KEPT;
}

static bool is_right(const struct output *o, const struct mx_grouped *g, size_t i, uint32_t got,
                     uint32_t want, bool padding) {
	if (is_kept(g, padding))
		return o->unwritten[i] == o->bytes && got == want;
	if (o->unwritten[i])
		return false;
	return got == want || (!padding && is_nan(o, got) && is_nan(o, want));
}

/* Row `row` of a group is row `at` of the output, and row `from` of what is expected. */
static void judge_row(const struct output *o, const struct mx_grouped *g, size_t group, size_t row,
                      size_t at, size_t from, bool padding, struct mx_grouped_verdict *v) {
	for (size_t col = 0; col < o->cols; col++) {
		size_t i = at * o->cols + col;
		uint32_t got = got_at(o, i), want = want_at(o, g, from * o->cols + col, padding);
		bool right = is_right(o, g, i, got, want, padding);
		v->checked++;
		if (v->differs) {
			v->differs[i] = !right;
			v->wants[i] = want;
		}
		if (right || v->wrong++)
			continue;
		v->group = group;
		v->row = row;
		v->col = col;
		v->got = got;
		v->want = want;
		v->padding = padding;
		v->unwritten = o->unwritten[i] && !is_kept(g, padding);
	}
}

size_t mx_grouped_first(const struct mx_grouped *g, size_t group) {
	size_t first = 0;
	if (g->padding != MX_PADDING_NONE || !g->rows)
		return g->begin[group];
	for (size_t i = 0; i < group; i++)
		first += g->rows[i];
	return first;
}

static void judge_group(const struct output *o, const struct mx_grouped *g, size_t group,
                        struct mx_grouped_verdict *v) {
	bool by_group = g->kind == MX_WGRAD;
	size_t first = by_group ? group * g->n : g->begin[group];
	size_t all = by_group ? g->n : g->begin[group + 1] - first, before = v->wrong;
	size_t valid = by_group || !g->rows ? all : g->rows[group];
	bool checked = g->padding == MX_PADDING_ZERO || g->padding == MX_PADDING_KEPT;
	size_t at = by_group ? first : mx_grouped_first(g, group);
	for (size_t row = 0; row < valid; row++)
		judge_row(o, g, group, row, at + row, first + row, false, v);
	for (size_t row = valid; row < all && checked; row++)
		judge_row(o, g, group, row, first + row, first + row, true, v);
	v->wrong_groups += v->wrong > before;
}

static void describe(const struct mx_grouped *g, const struct output *o,
                     struct mx_grouped_verdict *v) {
	size_t group = v->group;
	uint64_t rows = g->rows ? g->rows[group] : g->begin[group + 1] - g->begin[group];
	int digits = 2 * (int)o->bytes;
	char want[32] = "not be written";
	if (!is_kept(g, v->padding))
		snprintf(want, sizeof want, "be 0x%0*x", digits, v->want);
	snprintf(v->text, sizeof v->text,
	         "group %zu (%llu rows from %llu), %srow %zu, column %zu is 0x%0*x%s, must %s; "
	         "%zu of %zu elements are wrong, in %zu of %zu groups",
	         group, (unsigned long long)rows, (unsigned long long)g->begin[group],
	         v->padding ? "padding " : "", v->row, v->col, digits, v->got,
	         v->unwritten ? " (not written)" : "", want, v->wrong, v->checked, v->wrong_groups,
	         g->groups);
}

int mx_grouped_judge(const struct mx_grouped *g, const uint32_t *expected, const void *got,
                     const uint8_t *unwritten, unsigned bytes, struct mx_grouped_verdict *v,
                     struct mx_error *err) {
	struct output o = { expected, got, unwritten, bytes, bytes == 2 && g->f16, 0 };
	size_t rows;
	*v = (struct mx_grouped_verdict){ .differs = v->differs, .wants = v->wants };
	if (bytes != 2 && bytes != 4)
		return mx_fail(err,
		               "an output element of %u bytes is neither of f32 nor of bf16 or f16",
		               bytes);
	if (mx_grouped_size(g, &rows, &o.cols, err))
		return -1;
	for (size_t i = 0; i < g->groups; i++)
		judge_group(&o, g, i, v);
	if (v->wrong)
		describe(g, &o, v);
	return 0;
}
