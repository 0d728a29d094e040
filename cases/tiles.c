/* Tiles of the output, one for each workgroup of the contract's axes, and of each group. */
#include "tiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "groups.h"
#include "layout.h"

enum {
	OTHERS_MOST = 16 << 20, /* bytes of a buffer that tiles do not divide */
	GUARD_MOST = 1 << 20,   /* bytes of a guard, whose bytes are all written */
};

static size_t least(size_t a, size_t b) {
	return a < b ? a : b;
}

/* ---- the axes of the grid ---- */

/* The tiles of one size: rows or columns of each, and the axis of workgroups. */
struct axis {
	size_t size, tile, n;
	unsigned of; /* 0: x, 1: y, 2: z */
};

/* Groups of columns are summed over M: C has N rows of K columns for each. */
static bool sums_groups(const struct mx_plan *p) {
	return p->groups.n && p->c->groups->of == MX_GROUPS_COLS;
}

/* The sizes whose tiles are rows and columns of C, and rows of A and B. */
static const char *rows_name(const struct mx_plan *p) {
	return sums_groups(p) ? "N" : "M";
}

static const char *cols_name(const struct mx_plan *p) {
	return sums_groups(p) ? "K" : "N";
}

/* The third axis has a workgroup for each group, or for each split of K. */
static unsigned other_axis(const struct axis *rows, const struct axis *cols) {
	return 3 - rows->of - cols->of;
}

/* With groups the axis of M has at least the workgroups of the longest one. */
static int find_axis(const struct mx_plan *p, const char *name, int64_t size, struct axis *a,
                     struct mx_error *err) {
	const struct mx_size_contract *k = mx_contract_of(p->c, name);
	if (!k || !k->axis)
		return mx_fail(err, "%s: tiles: the contract gives %s no axis of the grid",
		               p->c->path, name);
	*a = (struct axis){ (size_t)size, (size_t)k->tile, 0, k->axis - MX_AXIS_X };
	a->n = (a->size + a->tile - 1) / a->tile;
	uint32_t grid = p->steps[0].grid[a->of];
	if (a->n == grid || (p->groups.n && a->n < grid))
		return 0;
	return mx_fail(err,
	               "%s: tiles: %s = %" PRId64 " has %zu tiles of %zu, and its axis %c of the "
	               "grid %u workgroups",
	               p->c->path, name, size, a->n, a->tile, "xyz"[a->of], grid);
}

static int find_axes(const struct mx_plan *p, struct axis *rows, struct axis *cols,
                     struct mx_error *err) {
	int64_t M = sums_groups(p) ? p->N : p->groups.n ? (int64_t)groups_most(&p->groups) : p->M;
	if (find_axis(p, rows_name(p), M, rows, err) ||
	    find_axis(p, cols_name(p), sums_groups(p) ? p->K : p->N, cols, err))
		return -1;
	if (rows->of == cols->of)
		return mx_fail(err, "%s: tiles: %s and %s have the same axis", p->c->path,
		               rows_name(p), cols_name(p));
	unsigned other = other_axis(rows, cols);
	uint32_t grid = p->steps[0].grid[other];
	size_t groups = p->groups.n;
	if (!groups || grid == groups)
		return 0;
	return mx_fail(err,
	               "%s: tiles: the axis %c of the grid has %u workgroups, not one for each of "
	               "%zu groups",
	               p->c->path, "xyz"[other], grid, groups);
}

/* ---- what has tiles ---- */

static bool is_divided(mx_role role) {
	return role >= MX_ROLE_A && role <= MX_ROLE_C_IN;
}

/* C, or C before the launch. */
static bool is_output(mx_role role) {
	return role == MX_ROLE_C || role == MX_ROLE_C_IN;
}

/* A buffer in which workgroups leave what only they read. */
static bool is_workspace(const struct mx_plan *p, unsigned i) {
	const struct mx_buffer_spec *spec = &p->c->buffers[i];
	return p->buffers[i].role == MX_ROLE_NONE && p->buffers[i].in < 0 && spec->data &&
	       !strcmp(spec->data, "poison") && !spec->of && !spec->expect &&
	       !mx_buffer_holds_others(p, i);
}

bool mx_tiles_divide(const struct mx_plan *p, unsigned i) {
	return p->n_tiles && (is_divided(p->buffers[i].role) || is_workspace(p, i));
}

static const char *why_not_buffer(const struct mx_plan *p, unsigned i) {
	const struct mx_buffer *b = &p->buffers[i];
	if (!is_divided(b->role))
		return b->bytes > OTHERS_MOST && !is_workspace(p, i)
		               ? "has too many bytes beside operands and output"
		               : NULL;
	if (is_output(b->role) && b->packing.layout)
		return "has a layout";
	if (b->order != MX_ORDER_ROW || b->in >= 0)
		return "is not in rows of its own";
	if (p->c->buffers[i].recipe)
		return "has a recipe";
	const char *data = p->c->buffers[i].data ? p->c->buffers[i].data : "regime";
	bool start = b->role == MX_ROLE_C && (!strcmp(data, "zero") || !strcmp(data, "random"));
	bool added = (int)i == p->epilogue.c && !strcmp(data, "regime");
	return p->c->buffers[i].data && !added && !start ? "has a key data" : NULL;
}

static int check(const struct mx_plan *p, struct mx_error *err) {
	const struct mx_case *c = p->c;
	mx_judge judge = c->verdict.judge;
	bool judged = judge == MX_JUDGE_BITS ||
	              (!c->groups && (judge == MX_JUDGE_BOUND || judge == MX_JUDGE_SET));
	const char *why = !judged        ? "the judge is none of bits, bound and set"
	                  : c->n_steps   ? "the case has steps"
	                  : c->reference ? "the case is no product of roles"
	                  : p->regime == MX_REGIME_SPECIAL ? "the regime special plants whole rows"
	                  : !mx_plan_role(p, MX_ROLE_A) || !mx_plan_role(p, MX_ROLE_B) ||
	                                  !mx_plan_role(p, MX_ROLE_C)
	                          ? "the case lacks one of the roles a, b and c"
	                          : NULL;
	if (why)
		return mx_fail(err, "%s: tiles: %s", c->path, why);
	for (unsigned i = 0; i < p->n_buffers; i++)
		if ((why = why_not_buffer(p, i)))
			return mx_fail(err, "%s: tiles: %s %s", c->path, p->buffers[i].name, why);
	return 0;
}

/* ---- the choice ---- */

struct choice {
	struct mx_plan *p;
	const struct axis *rows, *cols;
	unsigned most;
};

/* The rows of a group, and its first row in A and in C. Without groups all is one. An empty sum has
 * no tiles, because it has no product. */
static size_t rows_of(const struct choice *c, size_t group) {
	const struct mx_groups *g = &c->p->groups;
	bool whole = !g->n || (sums_groups(c->p) && g->rows[group]);
	return whole ? c->rows->size : g->rows[group];
}

static size_t begin_of(const struct choice *c, mx_role role, size_t group) {
	const struct mx_groups *g = &c->p->groups;
	size_t begin = 0;
	if (sums_groups(c->p))
		return is_output(role) ? group * c->rows->size : 0;
	if (!g->n)
		return 0;
	if (!is_output(role) || c->p->c->groups->padding != MX_PADDING_NONE)
		return g->begin[group];
	for (size_t i = 0; i < group; i++)
		begin += g->rows[i];
	return begin;
}

static void choose(struct choice *c, size_t group, size_t row, size_t col) {
	struct mx_plan *p = c->p;
	size_t M = rows_of(c, group), N = c->cols->size;
	size_t r = row / c->rows->tile * c->rows->tile, k = col / c->cols->tile * c->cols->tile;
	size_t first = begin_of(c, MX_ROLE_C, group) + r;
	for (unsigned i = 0; i < p->n_tiles; i++)
		if (p->tile[i].row == first && p->tile[i].col == k)
			return;
	if (p->n_tiles == c->most || row >= M || col >= N)
		return;
	struct mx_tile *t = &p->tile[p->n_tiles++];
	*t = (struct mx_tile){ .row = first,
		               .col = k,
		               .rows = least(M - r, c->rows->tile),
		               .cols = least(N - k, c->cols->tile),
		               .a = begin_of(c, MX_ROLE_A, group) + r,
		               .b = (sums_groups(p) ? 0 : group * N) + k,
		               .group = group };
	t->workgroup[c->rows->of] = (uint32_t)(r / c->rows->tile);
	t->workgroup[c->cols->of] = (uint32_t)(k / c->cols->tile);
	if (p->groups.n)
		t->workgroup[other_axis(c->rows, c->cols)] = (uint32_t)group;
}

/* The tile that uses a row of A or of C. */
static void choose_row(struct choice *c, mx_role role, size_t row, size_t col) {
	size_t groups = c->p->groups.n ? c->p->groups.n : 1;
	for (size_t g = 0; g < groups; g++) {
		size_t begin = begin_of(c, role, g);
		if (row >= begin && row - begin < rows_of(c, g))
			choose(c, g, row - begin, col);
	}
}

/* The first tile that uses a row of B. */
static void choose_col(struct choice *c, size_t row) {
	size_t group = 0;
	while (sums_groups(c->p) && group + 1 < c->p->groups.n && !rows_of(c, group))
		group++;
	choose(c, group + row / c->cols->size, 0, row % c->cols->size);
}

/* The tile that uses a byte of a buffer. */
static void choose_byte(struct choice *c, const struct mx_buffer *b, uint64_t byte) {
	size_t line = 0, rest = 0;
	if (byte >= b->bytes)
		return;
	bool is_element = mx_buffer_find(b, byte, &line, &rest);
	if (!is_element && b->packing.layout) /* the gap after a line belongs to it */
		return;
	if (is_output(b->role))
		choose_row(c, MX_ROLE_C, line, rest / dtype_bytes(b->type, 1));
	else if (b->role == MX_ROLE_A || b->role == MX_ROLE_A_SCALE)
		choose_row(c, MX_ROLE_A, line, 0);
	else
		choose_col(c, line);
}

uint64_t mx_buffer_ceiling(const struct mx_buffer *b, unsigned i) {
	uint64_t eight = dtype_bytes(b->type, 8), n = UINT64_C(1) << (31 + i % 2);
	return i < 2 ? n : n / 8 * eight;
}

/* The tiles at which an offset from the start, or from the end, reaches a ceiling. */
static void choose_around(struct choice *c, mx_role role) {
	const struct mx_buffer *b = mx_plan_role(c->p, role);
	for (unsigned i = 0; b && i < MX_CEILINGS; i++) {
		uint64_t at = mx_buffer_ceiling(b, i);
		if (at > b->bytes)
			continue;
		choose_byte(c, b, at);
		choose_byte(c, b, at - 1);
		choose_byte(c, b, b->bytes - at);
	}
}

/* The last row of each group, and its first. */
static void choose_corners(struct choice *c, size_t last_col, size_t first_col) {
	size_t groups = c->p->groups.n ? c->p->groups.n : 1;
	for (size_t i = 0; i < groups; i++) {
		size_t g = groups - 1 - i;
		choose(c, g, rows_of(c, g) - 1, last_col);
	}
	for (size_t g = 0; g < groups; g++)
		choose(c, g, 0, first_col);
}

/* A multiplier of Fibonacci hashing spreads the others. */
static void choose_others(struct choice *c) {
	size_t rows = mx_plan_role(c->p, MX_ROLE_C)->rows;
	for (uint64_t i = 1; i <= 2 * MX_MOST_TILES; i++) {
		uint64_t x = i * 0x9e3779b97f4a7c15u;
		choose_row(c, MX_ROLE_C, (x >> 32) * rows >> 32,
		           (x & UINT32_MAX) * c->cols->size >> 32);
	}
}

static void limit_guards(struct mx_plan *p) {
	for (unsigned i = 0; i < p->n_buffers; i++)
		if (mx_tiles_divide(p, i) && p->buffers[i].guard > GUARD_MOST)
			p->buffers[i].guard = GUARD_MOST;
}

int tiles_make(struct mx_plan *p, unsigned n, struct mx_error *err) {
	static const mx_role around[] = { MX_ROLE_C,       MX_ROLE_A,       MX_ROLE_B,
		                          MX_ROLE_A_SCALE, MX_ROLE_B_SCALE, MX_ROLE_C_IN };
	struct axis rows, cols;
	struct choice c = { p, &rows, &cols, n < MX_MOST_TILES ? n : MX_MOST_TILES };
	if (check(p, err) || find_axes(p, &rows, &cols, err))
		return -1;
	choose_corners(&c, cols.size - 1, 0);
	for (unsigned i = 0; i < sizeof around / sizeof *around; i++)
		choose_around(&c, around[i]);
	choose_corners(&c, 0, cols.size - 1);
	choose_others(&c);
	limit_guards(p);
	return 0;
}

/* ---- workgroups ---- */

static int ascending(const void *a, const void *b) {
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The axis without tiles has all of its workgroups, as splits of K need, or that of the group. */
uint64_t *mx_tiles_workgroups(const struct mx_plan *p, size_t *n) {
	const uint32_t *grid = p->steps[0].grid;
	unsigned rows = mx_contract_of(p->c, rows_name(p))->axis - MX_AXIS_X;
	unsigned other = 3 - rows - (mx_contract_of(p->c, cols_name(p))->axis - MX_AXIS_X);
	uint64_t *list = calloc((size_t)p->n_tiles * grid[other] + 1, sizeof *list);
	*n = 0;
	for (unsigned i = 0; list && i < p->n_tiles; i++)
		for (uint32_t k = 0; k < (p->groups.n ? 1 : grid[other]); k++) {
			uint32_t id[3];
			memcpy(id, p->tile[i].workgroup, sizeof id);
			id[other] += k;
			list[(*n)++] = id[0] + grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
		}
	if (list)
		qsort(list, *n, sizeof *list, ascending);
	return list;
}

/* ---- bytes ---- */

/* The last tile of a group has the rows after it too: in a run of the whole they have data. */
void tiles_rows(const struct mx_plan *p, mx_role operand, unsigned i, size_t *from, size_t *to) {
	bool a = operand == MX_ROLE_A || operand == MX_ROLE_A_SCALE;
	int64_t tile = mx_contract_of(p->c, a ? rows_name(p) : cols_name(p))->tile;
	*from = a ? p->tile[i].a : p->tile[i].b;
	*to = least(*from + (size_t)tile, mx_plan_role(p, operand)->rows);
}

static void output_bytes(const struct mx_buffer *c, const struct mx_tile *t, mx_bytes_of_tile *each,
                         void *context) {
	size_t bytes = dtype_bytes(c->type, t->cols);
	for (size_t row = t->row; row < t->row + t->rows; row++)
		each(context, mx_buffer_at(c, row, t->col), bytes);
}

/* Neighbours in a row are not always neighbours in memory. Padding belongs to the rows before it,
 * and is left out if nothing may use it. */
static void packed_bytes(const struct mx_buffer *b, size_t from, size_t to, mx_bytes_of_tile *each,
                         void *context) {
	const struct mx_packing *p = &b->packing;
	bool padded = p->fill != MX_FILL_POISON;
	size_t cols = padded ? p->padded_cols : p->cols, begin = 0, end = 0;
	size_t slot = p->bytes / (p->padded_rows * p->padded_cols);
	to = padded && to == p->rows ? p->padded_rows : to;
	for (size_t row = from; row < to; row++)
		for (size_t col = 0; col < cols; col++) {
			size_t at = mx_packing_at(p, row, col);
			if (at != end && begin < end)
				each(context, begin, end - begin);
			begin = at == end ? begin : at;
			end = at + slot;
		}
	if (begin < end)
		each(context, begin, end - begin);
}

void mx_tiles_bytes(const struct mx_plan *p, unsigned i, mx_bytes_of_tile *each, void *context) {
	const struct mx_buffer *b = &p->buffers[i];
	for (unsigned t = 0; is_divided(b->role) && t < p->n_tiles; t++) {
		size_t from, to;
		if (is_output(b->role)) {
			output_bytes(b, &p->tile[t], each, context);
			continue;
		}
		tiles_rows(p, b->role, t, &from, &to);
		if (b->packing.layout) {
			packed_bytes(b, from, to, each, context);
			continue;
		}
		for (size_t row = from; row < to; row++)
			each(context, row * b->ld, b->line_bytes);
	}
}
