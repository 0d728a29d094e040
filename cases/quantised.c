/* Operands that a kernel quantises: what their codes and scales must become.
 *
 * The regime draws codes and scales for the operand, or numbers. The source buffer has their
 * values, rounded to its type. The recipe quantises the source; the result is the operand that the
 * kernel must produce. If the type has all digits of the values and the recipe does not clip, the
 * operand has the same values, perhaps in other codes and scales. The exact regime requires this,
 * because otherwise its sums would round. */
#include "choice.h"
#include "dtype.h"
#include "quantised.h"
#include "quantised_tensor.h"

#include <stdlib.h>
#include <string.h>

/* ---- the case ---- */

/* What is wrong with the keys of operand i, and which key; NULL: nothing. */
static const char *bad_operand(const struct mx_case *c, unsigned i, const char **key) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	int from = b->of ? case_find_buffer(c, b->of) : -1;
	mx_recipe recipe;
	*key = "recipe";
	if (!dtype_is_format(b->type) ||
	    (b->role != MX_ROLE_NONE && b->role != MX_ROLE_A && b->role != MX_ROLE_B))
		return "only codes with role a, b or none have a recipe";
	if (!mx_recipe_by_name(b->recipe, &recipe))
		return "no such recipe; see mxcheck quant --help";
	if (!(mx_recipe_info(recipe)->formats >> dtype_format(b->type) & 1))
		return "the recipe is not defined for this type";
	if (b->role == MX_ROLE_NONE)
		return tensor_fault(c, i, key);
	if (b->scales || b->along || b->hadamard || b->random)
		return "scales, along, hadamard and random are for codes with role none";
	if (c->groups && c->groups->of == MX_GROUPS_COLS)
		return "not in a case with groups of columns";
	*key = "of";
	if (!b->of)
		return "missing: the buffer that is quantised";
	if (from < 0)
		return "no buffer has this name";
	const struct mx_buffer_spec *x = &c->buffers[from];
	if (x->role != MX_ROLE_NONE || x->of || !quantised_takes(x->type))
		return "it must be an input with role none, of f32, bf16 or f16";
	if (x->order != MX_ORDER_ROW || x->batch)
		return "it must be one matrix in rows";
	*key = "data";
	int scales = case_find_role(c, b->role + 1);
	return b->data || (scales >= 0 && c->buffers[scales].data) ? "a quantised operand has none"
	                                                           : NULL;
}

static const char *bad_keys(const struct mx_case *c, unsigned i, const char **key) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	if (b->recipe)
		return bad_operand(c, i, key);
	*key = b->scales ? "scales" : b->along ? "along" : b->hadamard ? "hadamard" : "random";
	return b->scales || b->along || b->hadamard || b->random ? "the buffer has no recipe"
	                                                         : NULL;
}

int quantised_check(struct source *s, const struct mx_case *c, struct mx_error *err) {
	for (unsigned i = 0; i < c->n_buffers; i++) {
		const char *key, *why = bad_keys(c, i, &key);
		if (why)
			return source_fail(err, s, case_line_of(s, "buffers", i, key),
			                   "buffers[%u].%s: %s", i, key, why);
	}
	return 0;
}

/* ---- the plan ---- */

bool mx_buffer_is_quantised(const struct mx_plan *p, const struct mx_buffer *b) {
	unsigned at = (unsigned)(b - p->buffers);
	for (unsigned i = 0; i < p->n_buffers; i++)
		if (p->c->buffers[i].recipe && (i == at || quantised_scales(p->c, i) == (int)at))
			return true;
	return false;
}

bool quantised_gives(const struct mx_plan *p, unsigned i) {
	const char *how = p->c->buffers[i].data;
	for (unsigned k = 0; !how && k < p->n_buffers; k++)
		if (p->c->buffers[k].recipe && p->c->buffers[k].role != MX_ROLE_NONE &&
		    !strcmp(p->c->buffers[k].of, p->buffers[i].name))
			return true;
	return false;
}

/* ---- data ---- */

/* An operand with its scales, and the buffer that it is quantised from. */
struct quantised {
	const struct mx_plan *p;
	const struct mx_buffer *x;
	uint8_t *x_bytes;
	struct mx_quantised operand;
	mx_format format;
	size_t rows, cols;
	bool grouped;      /* the operand has groups of rows with padding, the source without */
	const size_t *row; /* the operand's row of each of the source's rows */
	float *drawn;      /* unquantised numbers of the general regime; or NULL */
};

static size_t *rows_of(const struct quantised *q) {
	const struct mx_groups *g = &q->p->groups;
	size_t *row = malloc((q->x->rows + 1) * sizeof *row), n = 0;
	for (; row && !q->grouped && n < q->x->rows; n++)
		row[n] = n;
	for (size_t i = 0; row && q->grouped && i < g->n; i++)
		for (size_t k = 0; k < g->rows[i]; k++)
			row[n++] = g->begin[i] + k;
	return row;
}

static void store(const struct quantised *q, size_t row, size_t col, float value) {
	uint8_t *line = q->x_bytes + mx_buffer_data(q->x, row);
	mx_f32 bits;
	memcpy(&bits, &value, sizeof bits);
	if (q->x->type == MX_DT_BF16)
		memcpy(line + 2 * col, &(mx_bf16){ mx_bf16_from_f32(bits).v }, 2);
	else if (q->x->type == MX_DT_F16)
		memcpy(line + 2 * col, &(mx_f16){ mx_f16_from_f32(bits).v }, 2);
	else
		memcpy(line + 4 * col, &bits, 4);
}

static float load(const struct quantised *q, size_t row, size_t col) {
	const uint8_t *line = q->x_bytes + mx_buffer_data(q->x, row);
	mx_bf16 b;
	mx_f16 h;
	mx_f32 bits;
	float value;
	if (q->x->type == MX_DT_BF16)
		memcpy(&b, line + 2 * col, 2), bits = mx_bf16_to_f32(b);
	else if (q->x->type == MX_DT_F16)
		memcpy(&h, line + 2 * col, 2), bits = mx_f16_to_f32(h);
	else
		memcpy(&bits, line + 4 * col, 4);
	memcpy(&value, &bits, sizeof value);
	return value;
}

static float *numbers_of(const struct quantised *q, struct mx_error *err) {
	float *n = malloc((q->rows * q->cols + 1) * sizeof *n);
	if (!n)
		mx_fail(err, "%s: %s: no memory for its numbers", q->p->name, q->x->name);
	else
		mx_dequantize(q->format, &q->operand, q->rows, q->cols, (mx_f32 *)n,
		              q->cols * sizeof *n, sizeof *n);
	return n;
}

static void put_source(const struct quantised *q, const float *numbers) {
	for (size_t row = 0; row < q->x->rows; row++)
		for (size_t col = 0; col < q->cols; col++)
			store(q, row, col, numbers[q->row[row] * q->cols + col]);
}

static int quantise(const struct quantised *q, mx_recipe recipe, struct mx_error *err) {
	struct mx_quantizer how = { .recipe = recipe, .format = q->format, .threads = 1 };
	size_t rows[MX_MAX_GROUPS];
	ptrdiff_t element = (ptrdiff_t)dtype_bytes(q->x->type, 1);
	const struct mx_tensor from = {
		.data = q->x_bytes,
		.dtype = q->x->type == MX_DT_BF16  ? MX_DTYPE_BF16
		         : q->x->type == MX_DT_F16 ? MX_DTYPE_F16
		                                   : MX_DTYPE_F32,
		.rows = q->x->rows,
		.cols = q->cols,
		.row_bytes = (ptrdiff_t)q->x->ld,
		.col_bytes = element,
	};
	if (q->grouped)
		quantised_groups(q->p, rows, &how);
	if (mx_quantize(&how, &from, &q->operand, NULL) == MX_OK)
		return 0;
	return mx_fail(err, "%s: %s cannot be quantised by %s", q->p->name, q->x->name,
	               mx_recipe_info(recipe)->name);
}

static int check_kept(const struct quantised *q, const float *before, mx_recipe recipe,
                      struct mx_error *err) {
	float *after = numbers_of(q, err);
	bool kept = after != NULL;
	for (size_t row = 0; kept && row < q->x->rows; row++)
		for (size_t at = q->row[row] * q->cols, i = 0; kept && i < q->cols; i++)
			kept = before[at + i] == after[at + i];
	if (after && !kept)
		mx_fail(err, "%s: exact regime: %s of %s changes numbers that %s has", q->p->name,
		        mx_recipe_info(recipe)->name, q->x->name, q->x->name);
	free(after);
	return kept ? 0 : -1;
}

/* A source without data has the numbers that the regime drew. */
static int fill_one(const struct quantised *q, bool has_data, mx_recipe recipe,
                    struct mx_error *err) {
	float *numbers = q->drawn ? NULL : numbers_of(q, err);
	if (!q->drawn && !numbers)
		return -1;
	if (!has_data)
		put_source(q, q->drawn ? q->drawn : numbers);
	int status = quantise(q, recipe, err);
	if (!status && !has_data && q->p->regime == MX_REGIME_EXACT)
		status = check_kept(q, numbers, recipe, err);
	for (size_t row = 0; q->drawn && row < q->x->rows; row++)
		for (size_t col = 0; col < q->cols; col++)
			q->drawn[q->row[row] * q->cols + col] = load(q, row, col);
	free(numbers);
	return status;
}

static int fill_operand(const struct mx_plan *p, const struct mx_buffer *codes, float *drawn,
                        struct mx_data *data, struct mx_error *err) {
	const struct mx_buffer_spec *spec = &p->c->buffers[codes - p->buffers];
	const struct mx_buffer *scales = mx_plan_role(p, codes->role + 1);
	unsigned x = (unsigned)case_find_buffer(p->c, spec->of);
	struct quantised q = {
		.p = p,
		.x = &p->buffers[x],
		.x_bytes = data->bytes[x],
		.operand = { data->bytes[codes - p->buffers], codes->ld,
		             data->bytes[scales - p->buffers], scales->ld },
		.format = dtype_format(codes->type),
		.rows = codes->rows,
		.cols = codes->cols,
		.grouped = p->groups.n && codes->role == MX_ROLE_A,
		.drawn = drawn,
	};
	mx_recipe recipe;
	mx_recipe_by_name(choice_text(p->c, &p->sizes, spec->name, "recipe", spec->recipe),
	                  &recipe);
	size_t *row = rows_of(&q);
	q.row = row;
	int status = row ? fill_one(&q, p->c->buffers[x].data != NULL, recipe, err)
	                 : mx_fail(err, "%s: %s: no memory for its rows", p->name, q.x->name);
	free(row);
	return status;
}

int quantised_fill(const struct mx_plan *p, struct mx_data *data, struct mx_error *err) {
	const struct mx_buffer *a = mx_plan_role(p, MX_ROLE_A), *b = mx_plan_role(p, MX_ROLE_B);
	if (a && mx_buffer_is_quantised(p, a) && fill_operand(p, a, data->a, data, err))
		return -1;
	if (b && mx_buffer_is_quantised(p, b) && fill_operand(p, b, data->b, data, err))
		return -1;
	return tensor_fill(p, data, err);
}
