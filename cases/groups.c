/* Groups of rows: division and layout of a case's tokens. */
#include "groups.h"

#include <inttypes.h>
#include <string.h>

int mx_groups_lay(size_t n, const uint64_t *rows, uint64_t multiple, uint64_t *begin,
                  struct mx_error *err) {
	uint64_t end;
	begin[0] = 0;
	for (size_t g = 0; g < n; g++) {
		if (__builtin_add_overflow(begin[g], rows[g], &end) ||
		    __builtin_add_overflow(end, multiple - 1, &end) || end > INT64_MAX)
			return mx_fail(err, "group %zu: its rows end over 2^63", g);
		begin[g + 1] = end / multiple * multiple;
	}
	return 0;
}

static int make_rows(const struct scope *s, const struct mx_run_groups *run, int64_t M,
                     struct mx_groups *g, struct mx_error *err) {
	const struct mx_groups_spec *spec = s->c->groups;
	uint64_t sum = 0;
	unsigned n = run->n ? run->n : spec->n_rows;
	for (g->n = 0; g->n < n; g->n++) {
		int64_t rows = run->n ? run->rows[g->n] : 0;
		if (!run->n && scope_eval(s, (struct field){ "groups.rows", g->n, "" },
		                          spec->rows[g->n], (struct range){ 0, M }, &rows, err))
			return -1;
		g->rows[g->n] = rows;
		sum += rows;
	}
	return sum == (uint64_t)M
	               ? 0
	               : field_fail(err, s->c, (struct field){ "groups.rows", -1, "" },
	                            "they add up to %" PRIu64 ", but M is %" PRId64, sum, M);
}

int groups_make(const struct scope *s, const struct mx_run_groups *run, int64_t M,
                struct mx_groups *g, struct mx_error *err) {
	const struct mx_groups_spec *spec = s->c->groups;
	struct field at = { "groups.pad", -1, "" };
	struct mx_error why;
	int64_t pad = 1;
	if (make_rows(s, run, M, g, err) ||
	    (spec->pad && scope_eval(s, at, spec->pad, (struct range){ 1, 1 << 20 }, &pad, err)))
		return -1;
	if (spec->of == MX_GROUPS_COLS && pad % MX_BLOCK)
		return field_fail(err, s->c, at,
		                  "groups of columns begin with a scale's block, and %" PRId64
		                  " is not a multiple of %d",
		                  pad, MX_BLOCK);
	g->multiple = (uint64_t)pad;
	if (mx_groups_lay(g->n, g->rows, pad, g->begin, &why))
		return field_fail(err, s->c, at, "%s", why.text);
	return 0;
}

size_t groups_most(const struct mx_groups *g) {
	size_t most = 0;
	for (size_t i = 0; i < g->n; i++)
		most = g->rows[i] > most ? g->rows[i] : most;
	return most;
}

static void clear_row(const struct operand *o, size_t row) {
	memset(operand_row(o, row), 0, o->codes->line_bytes);
	memset(operand_scale(o, row, 0), 0, o->scales->line_bytes);
}

/* A block that begins with padding has no other elements. */
static void clear_column(const struct operand *o, size_t col) {
	for (size_t row = o->from; row < o->to; row++) {
		mx_elem_set(o->format, operand_row(o, row), col, (mx_elem){ 0 });
		if (col % MX_BLOCK == 0)
			*operand_scale(o, row, col / MX_BLOCK) = 0;
	}
}

/* Groups of rows are rows of A; groups of columns are columns of A and B. */
void groups_clear(const struct mx_groups *g, mx_groups_of of, const struct operand *o) {
	for (size_t i = 0; i < g->n; i++)
		for (size_t at = g->begin[i] + g->rows[i]; at < g->begin[i + 1]; at++)
			if (of == MX_GROUPS_COLS)
				clear_column(o, at);
			else if (at >= o->from && at < o->to)
				clear_row(o, at);
}

void groups_fill(const struct mx_groups *g, mx_role role, size_t width, uint8_t *bytes) {
	const uint64_t *from = role == MX_ROLE_GROUP_BEGIN ? g->begin : g->rows;
	size_t n = g->n + (role == MX_ROLE_GROUP_BEGIN);
	for (size_t i = 0; i < n; i++)
		memcpy(bytes + i * width, &from[i], width); /* little-endian */
}
