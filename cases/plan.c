/* A case at a shape: every expression evaluated, every size checked. */
#include "dtype.h"
#include "epilogue.h"
#include "kernarg.h"
#include "layout.h"
#include "scope.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_EXTENT (INT64_C(1) << 40)

enum {
	MAX_WORKITEMS = 1024, /* of a workgroup */
	MAX_LDS = 160 * 1024, /* of a gfx950 compute unit */
	GUARD_STEP = 256,
};

static const struct range size_range = { 0, MAX_EXTENT };

static int make_shape(struct mx_plan *p, struct mx_error *err) {
	char sizes[MX_RUN_NAME / 2];
	for (unsigned i = 0; i < p->sizes.n; i++)
		if (p->sizes.at[i].value < 0 || p->sizes.at[i].value > MAX_EXTENT)
			return mx_fail(err, "%s: %s = %" PRId64 " is not in 0 to 2^40", p->c->path,
			               p->sizes.at[i].name, p->sizes.at[i].value);
	p->M = mx_size(&p->sizes, "M");
	p->N = mx_size(&p->sizes, "N");
	p->K = mx_size(&p->sizes, "K");
	mx_sizes_text(&p->sizes, sizes, sizeof sizes);
	snprintf(p->name, sizeof p->name, "%s/%s/%s", p->c->name, sizes, mx_regime_name(p->regime));
	return 0;
}

/* ---- grid ---- */

static int make_counts(const struct scope *s, const char *list, char **texts, unsigned n,
                       int64_t most, uint32_t out[3], struct mx_error *err) {
	for (unsigned i = 0; i < 3; i++) {
		int64_t v = 1;
		if (i < n && scope_eval(s, (struct field){ list, i, "" }, texts[i],
		                        (struct range){ 1, most }, &v, err))
			return -1;
		out[i] = v;
	}
	return 0;
}

static int make_grid(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_case *c = p->c;
	int64_t lds = 0;
	if (make_counts(s, "grid", c->grid, c->n_grid, INT32_MAX, p->grid, err) ||
	    make_counts(s, "block", c->block, c->n_block, MAX_WORKITEMS, p->block, err))
		return -1;
	if (p->block[0] * p->block[1] * p->block[2] > MAX_WORKITEMS)
		return mx_fail(err, "%s: block: %u x %u x %u work-items, more than %d", c->path,
		               p->block[0], p->block[1], p->block[2], MAX_WORKITEMS);
	for (int i = 0; i < 3; i++) /* an AQL packet counts work-items in 32 bits */
		if ((uint64_t)p->grid[i] * p->block[i] > UINT32_MAX)
			return field_fail(err, c, (struct field){ "grid", i, "" },
			                  "%u workgroups of %u work-items are over 2^32 - 1",
			                  p->grid[i], p->block[i]);
	if (c->lds && scope_eval(s, (struct field){ "lds", -1, "" }, c->lds,
	                         (struct range){ 0, MAX_LDS }, &lds, err))
		return -1;
	p->lds = lds;
	return 0;
}

/* ---- buffers ---- */

static int make_ld(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".ld" };
	size_t element = dtype_bytes(b->type, 1);
	int64_t ld = b->line_bytes;
	if (s->c->buffers[i].ld && scope_eval(s, at, s->c->buffers[i].ld, size_range, &ld, err))
		return -1;
	b->ld = ld;
	if (b->ld < b->line_bytes)
		return field_fail(err, s->c, at, "%zu bytes, but a line takes %zu", b->ld,
		                  b->line_bytes);
	if (b->ld % element)
		return field_fail(err, s->c, at, "%zu is not a multiple of the element's %zu bytes",
		                  b->ld, element);
	return 0;
}

/* A kernel may be allowed to load whole padded lines, the last included. */
static int widen_extent(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".extent" };
	int64_t bytes;
	if (!s->c->buffers[i].extent)
		return 0;
	if (scope_eval(s, at, s->c->buffers[i].extent, size_range, &bytes, err))
		return -1;
	if ((size_t)bytes < b->bytes)
		return field_fail(err, s->c, at, "%" PRId64 " bytes, but the lines take %zu", bytes,
		                  b->bytes);
	b->bytes = bytes;
	return 0;
}

static int make_extent(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	if (b->rows && b->cols &&
	    (__builtin_mul_overflow(b->lines - 1, b->ld, &b->bytes) ||
	     __builtin_add_overflow(b->bytes, b->line_bytes, &b->bytes) || b->bytes > MAX_EXTENT))
		return field_fail(err, s->c, (struct field){ "buffers", i, "" },
		                  "%zu lines of %zu bytes are over 2^40", b->lines, b->ld);
	if (widen_extent(s, i, b, err))
		return -1;
	b->data_bytes = b->bytes;
	return 0;
}

/* ---- packed ones ---- */

static int make_pad(const struct scope *s, struct field at, const char *text, size_t *pad,
                    struct mx_error *err) {
	int64_t multiple = 0;
	if (text && scope_eval(s, at, text, (struct range){ 1, MAX_EXTENT }, &multiple, err))
		return -1;
	*pad = multiple;
	return 0;
}

/* The data are in lines without gaps; the device's layout is packed. */
static int make_packing(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &s->c->buffers[i];
	struct mx_packing_spec how = { .layout = spec->layout };
	struct field at_rows = { "buffers", i, ".pad_rows" },
		     at_cols = { "buffers", i, ".pad_cols" }, at = { "buffers", i, ".layout" };
	struct mx_error why;
	if (!spec->layout)
		return 0;
	if (make_pad(s, at_rows, spec->pad_rows, &how.pad_rows, err) ||
	    make_pad(s, at_cols, spec->pad_cols, &how.pad_cols, err))
		return -1;
	mx_layout_fill(spec->fill, &how.fill);
	if (mx_packing_make(&b->packing, &how, b->lines, b->line_bytes, &why))
		return field_fail(err, s->c, at, "%s", why.text);
	if (b->packing.bytes > MAX_EXTENT)
		return field_fail(err, s->c, at, "%zu bytes are over 2^40", b->packing.bytes);
	b->bytes = b->packing.bytes;
	return 0;
}

/* ---- offsets ---- */

bool mx_buffer_padding(const struct mx_buffer *b, size_t line, size_t *from, size_t *to) {
	if (b->packing.layout)
		return false;
	*from = line * b->ld + b->line_bytes;
	*to = line + 1 < b->lines ? *from - b->line_bytes + b->ld : b->bytes;
	return *from < *to;
}

size_t mx_buffer_at(const struct mx_buffer *b, size_t row, size_t col) {
	bool by_col = b->order == MX_ORDER_COL;
	return mx_buffer_byte(b, by_col ? col : row, dtype_bytes(b->type, by_col ? row : col));
}

size_t mx_buffer_byte(const struct mx_buffer *b, size_t line, size_t i) {
	return b->packing.layout ? mx_packing_at(&b->packing, line, i) : line * b->ld + i;
}

long long mx_buffer_line(const struct mx_buffer *b, long long offset) {
	size_t row, col;
	if (!b->packing.layout || offset < 0 || (size_t)offset >= b->bytes)
		return b->ld ? offset / (long long)b->ld : 0;
	return mx_packing_from(&b->packing, offset, &row, &col) ? (long long)row : -1;
}

static int make_guard(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	struct field at = { "buffers", i, ".guard" };
	int64_t lines = 1;
	if (s->c->buffers[i].guard &&
	    scope_eval(s, at, s->c->buffers[i].guard, size_range, &lines, err))
		return -1;
	if (__builtin_mul_overflow((size_t)lines, b->ld, &b->guard) || b->guard > MAX_EXTENT)
		return field_fail(err, s->c, at, "%" PRId64 " lines of %zu bytes are over 2^40",
		                  lines, b->ld);
	if (b->guard < GUARD_STEP)
		b->guard = GUARD_STEP;
	b->guard = (b->guard + GUARD_STEP - 1) / GUARD_STEP * GUARD_STEP;
	return 0;
}

static int make_buffer(const struct scope *s, int i, struct mx_buffer *b, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &s->c->buffers[i];
	int64_t rows, cols;
	struct field at_rows = { "buffers", i, ".rows" }, at_cols = { "buffers", i, ".cols" };
	if (scope_eval(s, at_rows, spec->rows, size_range, &rows, err) ||
	    scope_eval(s, at_cols, spec->cols, size_range, &cols, err))
		return -1;
	*b = (struct mx_buffer){
		.name = spec->name,
		.role = spec->role,
		.type = spec->type,
		.rows = rows,
		.cols = cols,
		.order = spec->order,
		.lines = spec->order == MX_ORDER_COL ? cols : rows,
		.line_bytes = dtype_bytes(spec->type, spec->order == MX_ORDER_COL ? rows : cols),
	};
	if (make_ld(s, i, b, err) || make_extent(s, i, b, err) || make_packing(s, i, b, err))
		return -1;
	return make_guard(s, i, b, err);
}

/* ---- roles ---- */

static int check_role(const struct mx_plan *p, mx_role role, int64_t rows, int64_t cols,
                      struct mx_error *err) {
	const struct mx_buffer *b = mx_plan_role(p, role);
	if (!b || (b->rows == (size_t)rows && b->cols == (size_t)cols))
		return 0;
	return field_fail(err, p->c, (struct field){ "buffers", b - p->buffers, "" },
	                  "%s is %zu x %zu, its role requires %" PRId64 " x %" PRId64, b->name,
	                  b->rows, b->cols, rows, cols);
}

/* The entries of group buffers are at most the rows of the storage. */
static int check_group_type(const struct mx_plan *p, mx_role role, struct mx_error *err) {
	const struct mx_buffer *b = mx_plan_role(p, role);
	uint64_t most = p->groups.begin[p->groups.n];
	if (!b || dtype_bytes(b->type, 1) == 8 || most <= INT32_MAX)
		return 0;
	return field_fail(err, p->c, (struct field){ "buffers", b - p->buffers, ".type" },
	                  "%" PRIu64 " rows are over 2^31 - 1", most);
}

static int check_roles(const struct mx_plan *p, struct mx_error *err) {
	bool operands = mx_plan_role(p, MX_ROLE_A) || mx_plan_role(p, MX_ROLE_B);
	bool by_cols = p->groups.n && p->c->groups->of == MX_GROUPS_COLS;
	int64_t n = p->groups.n, rows = n ? (int64_t)p->groups.begin[n] : p->M, weights = p->N;
	int64_t K = by_cols ? rows : p->K, blocks = (K + MX_BLOCK - 1) / MX_BLOCK;
	if (operands && (K == 0 || K % MX_BLOCK))
		return mx_fail(err, "%s: %c = %" PRId64 " is not a positive multiple of %d",
		               p->c->path, by_cols ? 'R' : 'K', K, MX_BLOCK);
	if (n && (__builtin_mul_overflow(n, p->N, &weights) || weights > MAX_EXTENT))
		return mx_fail(err, "%s: %" PRId64 " groups of N = %" PRId64 " are over 2^40",
		               p->c->path, n, p->N);
	int64_t a = by_cols ? p->N : rows, b = by_cols ? p->K : weights;
	const struct {
		mx_role role;
		int64_t rows, cols;
	} want[] = {
		{ MX_ROLE_A, a, K },
		{ MX_ROLE_A_SCALE, a, blocks },
		{ MX_ROLE_B, b, K },
		{ MX_ROLE_B_SCALE, b, blocks },
		{ MX_ROLE_C, by_cols ? weights : rows, by_cols ? p->K : p->N },
		{ MX_ROLE_C_IN, p->M, p->N },
		{ MX_ROLE_BIAS_ROWS, 1, p->M },
		{ MX_ROLE_BIAS_COLS, 1, p->N },
		{ MX_ROLE_GROUP_BEGIN, 1, n + 1 },
		{ MX_ROLE_GROUP_ROWS, 1, n },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		if (check_role(p, want[i].role, want[i].rows, want[i].cols, err))
			return -1;
	if (check_group_type(p, MX_ROLE_GROUP_BEGIN, err))
		return -1;
	return check_group_type(p, MX_ROLE_GROUP_ROWS, err);
}

/* A copy has the size of what it copies. */
static int check_copies(const struct mx_plan *p, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const char *of = p->c->buffers[i].of;
		const struct mx_buffer *to = &p->buffers[i];
		const struct mx_buffer *from = of ? &p->buffers[case_find_buffer(p->c, of)] : to;
		if (to->rows != from->rows || to->cols != from->cols)
			return field_fail(err, p->c, (struct field){ "buffers", (int)i, "" },
			                  "%s is %zu x %zu, and %s, which it copies, is %zu x %zu",
			                  to->name, to->rows, to->cols, from->name, from->rows,
			                  from->cols);
	}
	return 0;
}

const struct mx_buffer *mx_plan_role(const struct mx_plan *plan, mx_role role) {
	for (unsigned i = 0; i < plan->n_buffers; i++)
		if (plan->buffers[i].role == role)
			return &plan->buffers[i];
	return NULL;
}

/* ---- splits of K, for atomics ---- */

static int make_splits(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_verdict_spec *v = &p->c->verdict;
	int64_t splits;
	if (v->judge != MX_JUDGE_SET)
		return 0;
	if (scope_eval(s, (struct field){ "verdict", -1, ".splits" }, v->splits,
	               (struct range){ 1, MX_MAX_SPLITS }, &splits, err) ||
	    scope_eval(s, (struct field){ "verdict", -1, ".k_split" }, v->k_split,
	               (struct range){ MX_BLOCK, MAX_EXTENT }, &p->k_split, err))
		return -1;
	p->splits = (unsigned)splits;
	if (p->k_split % MX_BLOCK || splits * p->k_split < p->K ||
	    (splits - 1) * p->k_split >= p->K)
		return field_fail(err, p->c, (struct field){ "verdict", -1, ".k_split" },
		                  "%u splits of %" PRId64 " do not cover K = %" PRId64
		                  " in blocks of %d, the last not empty",
		                  p->splits, p->k_split, p->K, MX_BLOCK);
	return 0;
}

static int make_kernarg(struct mx_plan *p, struct mx_error *err) {
	struct mx_error why;
	unsigned bad;
	if (kernarg_layout(p->c, &p->kernarg_bytes, &bad, &why))
		return mx_fail(err, "%s: %s", p->c->path, why.text);
	return kernarg_check(p, err);
}

int mx_plan_make(const struct mx_case *c, int64_t M, int64_t N, int64_t K, mx_regime regime,
                 struct mx_plan *plan, struct mx_error *err) {
	struct mx_case_run run = { { 3, { { "M", M }, { "N", N }, { "K", K } } }, regime };
	return mx_plan_make_run(c, &run, plan, err);
}

int mx_plan_make_run(const struct mx_case *c, const struct mx_case_run *run, struct mx_plan *plan,
                     struct mx_error *err) {
	struct scope scope;
	*plan = (struct mx_plan){ .c = c, .sizes = run->sizes, .regime = run->regime };
	if (make_shape(plan, err) || scope_make(&scope, c, &plan->sizes, err) ||
	    make_grid(&scope, plan, err))
		return -1;
	plan->groups = scope.groups;
	for (unsigned i = 0; i < c->n_buffers; i++) {
		if (make_buffer(&scope, i, &plan->buffers[i], err))
			return -1;
		plan->n_buffers++;
	}
	plan->epilogue = epilogue_make(plan);
	if (check_roles(plan, err) || check_copies(plan, err) || make_splits(&scope, plan, err))
		return -1;
	return make_kernarg(plan, err);
}
