/* A case at a shape: every expression evaluated, every size checked. */
#include "contract.h"
#include "buffer.h"
#include "dtype.h"
#include "epilogue.h"
#include "kernarg.h"
#include "pointers.h"
#include "reference.h"
#include "scope.h"
#include "steps.h"
#include "tiles.h"
#include "quantised_tensor.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	MAX_WORKITEMS = 1024, /* of a workgroup */
	MAX_CLUSTER = 16,     /* workgroups */
	MAX_LDS = 320 * 1024, /* of gfx1250; a gfx950 has half, and its runtime refuses more */
};

static int make_shape(struct mx_plan *p, struct mx_error *err) {
	for (unsigned i = 0; i < p->sizes.n; i++)
		if (p->sizes.at[i].value < 0 || p->sizes.at[i].value > MAX_EXTENT)
			return mx_fail(err, "%s: %s = %" PRId64 " is not in 0 to 2^40", p->c->path,
			               p->sizes.at[i].name, p->sizes.at[i].value);
	p->M = mx_size(&p->sizes, "M");
	p->N = mx_size(&p->sizes, "N");
	p->K = mx_size(&p->sizes, "K");
	return 0;
}

/* ---- steps ---- */

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

static int make_lds(const struct scope *s, unsigned step, struct mx_step_plan *p,
                    struct mx_error *err) {
	const char *text = mx_case_step(s->c, step)->lds;
	const struct step_list list = step_list(s->c, step, "lds");
	int64_t lds = 0;
	if (text && scope_eval(s, (struct field){ list.text, -1, "" }, text,
	                       (struct range){ 0, MAX_LDS }, &lds, err))
		return -1;
	p->lds = lds;
	return 0;
}

static int check_cluster(const struct mx_case *c, unsigned step, const struct mx_step_plan *p,
                         struct mx_error *err) {
	const struct step_list list = step_list(c, step, "cluster");
	if (p->cluster[0] * p->cluster[1] * p->cluster[2] > MAX_CLUSTER)
		return mx_fail(err, "%s: %s: %u x %u x %u workgroups, more than %d", c->path,
		               list.text, p->cluster[0], p->cluster[1], p->cluster[2], MAX_CLUSTER);
	for (int i = 0; i < 3; i++)
		if (p->grid[i] % p->cluster[i])
			return mx_fail(err,
			               "%s: %s: a grid of %u x %u x %u workgroups is not a whole "
			               "number of clusters of %u x %u x %u",
			               c->path, list.text, p->grid[0], p->grid[1], p->grid[2],
			               p->cluster[0], p->cluster[1], p->cluster[2]);
	return 0;
}

static int make_step(const struct scope *s, unsigned step, struct mx_step_plan *p,
                     struct mx_error *err) {
	const struct mx_step_spec *spec = mx_case_step(s->c, step);
	const struct step_list grid = step_list(s->c, step, "grid");
	const struct step_list block = step_list(s->c, step, "block");
	const struct step_list cluster = step_list(s->c, step, "cluster");
	if (make_counts(s, grid.text, spec->grid, spec->n_grid, INT32_MAX, p->grid, err) ||
	    make_counts(s, block.text, spec->block, spec->n_block, MAX_WORKITEMS, p->block, err) ||
	    make_counts(s, cluster.text, spec->cluster, spec->n_cluster, MAX_CLUSTER, p->cluster,
	                err))
		return -1;
	if (p->block[0] * p->block[1] * p->block[2] > MAX_WORKITEMS)
		return mx_fail(err, "%s: %s: %u x %u x %u work-items, more than %d", s->c->path,
		               block.text, p->block[0], p->block[1], p->block[2], MAX_WORKITEMS);
	for (int i = 0; i < 3; i++) /* an AQL packet counts work-items in 32 bits */
		if ((uint64_t)p->grid[i] * p->block[i] > UINT32_MAX)
			return field_fail(err, s->c, (struct field){ grid.text, i, "" },
			                  "%u workgroups of %u work-items are over 2^32 - 1",
			                  p->grid[i], p->block[i]);
	return check_cluster(s->c, step, p, err) ? -1 : make_lds(s, step, p, err);
}

static int make_steps(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	p->n_steps = mx_case_steps(p->c);
	for (unsigned i = 0; i < p->n_steps; i++) {
		p->steps[i].kernel = mx_case_kernel(p->c, p->variant, i);
		if (make_step(s, i, &p->steps[i], err))
			return -1;
	}
	return 0;
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
	int64_t c = n && p->c->groups->padding == MX_PADDING_NONE ? p->M : rows;
	const struct {
		mx_role role;
		int64_t rows, cols;
	} want[] = {
		{ MX_ROLE_A, a, K },
		{ MX_ROLE_A_SCALE, a, blocks },
		{ MX_ROLE_B, b, K },
		{ MX_ROLE_B_SCALE, b, blocks },
		{ MX_ROLE_C, by_cols ? weights : c, by_cols ? p->K : p->N },
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

/* The rows of what a buffer is a copy of. A quantised operand of groups has also their padding. */
static size_t rows_copied(const struct mx_plan *p, unsigned i) {
	bool padded = p->groups.n && p->c->buffers[i].recipe && p->buffers[i].role == MX_ROLE_A;
	return padded ? (size_t)p->M : p->buffers[i].rows;
}

/* A copy has the size of what it copies. */
static int check_copies(const struct mx_plan *p, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const struct mx_buffer_spec *b = &p->c->buffers[i];
		bool same_size = b->of && !b->by && !(b->recipe && b->role == MX_ROLE_NONE);
		const char *of = same_size ? b->of : NULL;
		const struct mx_buffer *to = &p->buffers[i];
		const struct mx_buffer *from = of ? &p->buffers[case_find_buffer(p->c, of)] : to;
		size_t rows = rows_copied(p, i);
		if (rows != from->rows || to->cols != from->cols)
			return field_fail(err, p->c, (struct field){ "buffers", (int)i, "" },
			                  "%s is %zu x %zu%s, and %s, which it copies, is %zu x "
			                  "%zu",
			                  to->name, rows, to->cols,
			                  rows == to->rows ? "" : " without padding", from->name,
			                  from->rows, from->cols);
	}
	return tensor_check(p, err);
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
	if (v->judge != MX_JUDGE_SET || p->outside)
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
	for (unsigned i = 0; i < p->n_steps; i++) {
		if (kernarg_layout(p->c, i, &p->steps[i].kernarg_bytes, &bad, &why))
			return mx_fail(err, "%s: %s", p->c->path, why.text);
		if (kernarg_check(p, i, err))
			return -1;
	}
	return 0;
}

int mx_plan_make(const struct mx_case *c, int64_t M, int64_t N, int64_t K, mx_regime regime,
                 struct mx_plan *plan, struct mx_error *err) {
	struct mx_case_run run = { { 3, { { "M", M }, { "N", N }, { "K", K } } }, regime };
	return mx_plan_make_run(c, &run, plan, err);
}

static int check_contract(const struct scope *scope, struct mx_plan *p, struct mx_error *err) {
	struct mx_error why;
	int status = contract_test(scope, &p->sizes, &why);
	if (status < 0)
		return mx_fail(err, "%s", why.text);
	p->outside = status;
	if (status && p->c->contract->outside == MX_OUTSIDE_REFUSED)
		return mx_fail(err, "%s: outside its contract: %s", p->c->path, why.text);
	return 0;
}

int mx_plan_make_run(const struct mx_case *c, const struct mx_case_run *run, struct mx_plan *plan,
                     struct mx_error *err) {
	struct scope scope;
	const struct mx_variant *v = run->variant;
	*plan = (struct mx_plan){
		.c = c,
		.sizes = run->sizes,
		.run_groups = run->groups,
		.regime = run->regime,
		.variant = v,
	};
	mx_case_run_name(c, run, plan->name);
	if (make_shape(plan, err) || scope_make(&scope, plan, err) || make_steps(&scope, plan, err))
		return -1;
	if (check_contract(&scope, plan, err))
		return -1;
	plan->groups = scope.groups;
	for (unsigned i = 0; i < c->n_buffers; i++) {
		if (buffer_make(&scope, (int)i, &plan->buffers[i], err))
			return -1;
		plan->n_buffers++;
	}
	plan->epilogue = epilogue_make(plan);
	if (reference_make(&scope, plan, err))
		return -1;
	if (check_roles(plan, err) || check_copies(plan, err) || buffer_check_places(plan, err) ||
	    make_splits(&scope, plan, err))
		return -1;
	if (run->tiles && tiles_make(plan, run->tiles, err))
		return -1;
	return make_kernarg(plan, err) || pointers_check(plan, err) ? -1 : 0;
}
