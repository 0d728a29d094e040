/* Tensors that a kernel quantises: codes and scales with role none, made by mx_quantize. */
#include "quantised_tensor.h"
#include "draw.h"
#include "dtype.h"
#include "schema.h"

#include <string.h>

/* ---- the case ---- */

static bool same(const char *a, const char *b) {
	return a && !strcmp(a, b);
}

bool quantised_takes(mx_buffer_type t) {
	return t == MX_DT_F32 || t == MX_DT_BF16 || t == MX_DT_F16;
}

/* A matrix of its own in rows. */
static bool is_matrix(const struct mx_buffer_spec *b) {
	return b->role == MX_ROLE_NONE && b->order == MX_ORDER_ROW && !b->batch;
}

static const char *source_fault(const struct mx_buffer_spec *x) {
	if (!quantised_takes(x->type) || x->of)
		return "it must be an input with role none, of f32, bf16 or f16";
	return is_matrix(x) ? NULL : "it must be one matrix in rows";
}

static const char *random_fault(const struct mx_case *c, const char *name) {
	int i = case_find_buffer(c, name);
	bool fits = i >= 0 && is_matrix(&c->buffers[i]) && c->buffers[i].type == MX_DT_U32;
	return fits && !c->buffers[i].of ? NULL
	                                 : "it must be an input matrix of u32 with role none";
}

static bool is_scales_of_one(const struct mx_case *c, const char *name) {
	unsigned n = 0;
	for (unsigned i = 0; i < c->n_buffers; i++)
		n += same(c->buffers[i].scales, name);
	return n == 1;
}

const char *tensor_fault(const struct mx_case *c, unsigned i, const char **key) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	int from = b->of ? case_find_buffer(c, b->of) : -1;
	int scales = b->scales ? case_find_buffer(c, b->scales) : -1;
	const char *why;
	*key = "of";
	if (from < 0)
		return b->of ? "no buffer has this name" : "missing: the buffer that is quantised";
	if ((why = source_fault(&c->buffers[from])))
		return why;
	*key = "scales";
	if (scales < 0)
		return "missing: the buffer of the scales";
	const struct mx_buffer_spec *s = &c->buffers[scales];
	if (!is_matrix(s) || s->type != MX_DT_E8M0 || s->of || s->data ||
	    !is_scales_of_one(c, b->scales))
		return "it must be a matrix of e8m0 with role none, without data, of these codes "
		       "alone";
	*key = "random";
	if (b->random && (why = random_fault(c, b->random)))
		return why;
	*key = "data";
	return b->data ? "a quantised tensor has none" : NULL;
}

int quantised_scales(const struct mx_case *c, unsigned i) {
	const struct mx_buffer_spec *b = &c->buffers[i];
	if (b->role != MX_ROLE_NONE)
		return case_find_role(c, b->role + 1);
	return b->scales ? case_find_buffer(c, b->scales) : -1;
}

bool tensor_draws(const struct mx_plan *p, unsigned i) {
	const struct mx_case *c = p->c;
	bool draws = false;
	for (unsigned k = 0; k < c->n_buffers && !c->buffers[i].data; k++) {
		const struct mx_buffer_spec *b = &c->buffers[k];
		bool of = b->recipe && same(b->of, c->buffers[i].name);
		if (of && b->role != MX_ROLE_NONE)
			return false;
		draws |= of || same(b->by, c->buffers[i].name);
	}
	return draws;
}

/* ---- data ---- */

enum { TILE = 32 };

/* The fields of a floating-point number. */
struct number {
	unsigned bits, man, max_field; /* max_field: of finite numbers */
	unsigned most;                 /* the largest that may be drawn */
};

static struct number number_of(mx_buffer_type t, bool is_summed) {
	struct number n = t == MX_DT_F32    ? (struct number){ 32, 23, 254 }
	                  : t == MX_DT_BF16 ? (struct number){ 16, 7, 254 }
	                                    : (struct number){ 16, 10, 30 };
	n.most = n.max_field - (is_summed ? 5 : 0);
	return n;
}

/* What a tile of the special regime has; one in eight each, the others have any exponent. */
enum { WITH_NAN = 1, LOW_END, HIGH_END, KINDS = 8 };

static unsigned kind_of(size_t row, size_t col) {
	return (row / TILE + 3 * (col / TILE)) % KINDS;
}

static unsigned any_field(struct number n, unsigned kind, struct draw tile) {
	unsigned near = draw_below(tile.w[1], 8);
	return kind == LOW_END    ? near
	       : kind == HIGH_END ? n.most - near
	                          : draw_below(tile.w[2], n.most + 1);
}

static uint32_t special(struct number n, unsigned kind, struct draw tile, struct draw d) {
	uint32_t sign = (d.w[0] & 1) << (n.bits - 1), mask = (1u << n.man) - 1;
	unsigned base = any_field(n, kind, tile), below = draw_below(d.w[1], 6),
		 rare = d.w[3] >> 26;
	uint32_t mantissa = d.w[2] & mask & (d.w[0] & 2 ? ~0u : ~0u << (n.man - 4));
	if (n.most == n.max_field && kind == WITH_NAN && rare == 0)
		return sign | (n.max_field + 1) << n.man | (d.w[0] & 4 ? 1u << (n.man - 1) : 0);
	if (rare < 4)
		return sign;
	return sign | (base > below ? base - below : 0) << n.man | mantissa;
}

/* The magnitudes of E2M1, times 2. */
static int few_digits(struct draw d, size_t row, size_t col) {
	static const int magnitudes[] = { 0, 1, 2, 3, 4, 6, 8, 12 };
	int m = row % TILE == col % TILE ? 12 : magnitudes[d.w[0] >> 29];
	return d.w[1] & 1 ? -m : m;
}

/* Any type has these numbers exactly, but bf16 and f16 round deviates. */
static uint32_t plain(struct number n, mx_buffer_type t, float x) {
	mx_f32 bits;
	memcpy(&bits, &x, sizeof bits);
	if (n.bits == 32)
		return bits.v;
	return t == MX_DT_BF16 ? mx_bf16_from_f32(bits).v : mx_f16_from_f32(bits).v;
}

static float power(int e) {
	return e < 0 ? 1.0f / (float)(1 << -e) : (float)(1 << e);
}

static uint32_t source_element(const struct mx_plan *p, struct number n, mx_buffer_type t,
                               struct stream s, size_t row, size_t col) {
	struct draw tile = draw_at(s, DRAW_BLOCK, row / TILE, col / TILE);
	struct draw d = draw_at(s, DRAW_ELEMENT, row, col);
	int exponent = (int)draw_below(tile.w[0], 13) - 6;
	if (p->regime == MX_REGIME_SPECIAL)
		return special(n, kind_of(row, col), tile, d);
	if (p->regime == MX_REGIME_EXACT)
		return plain(n, t, (float)few_digits(d, row, col) * power(exponent - 1));
	return plain(n, t, (float)draw_normal(d) * power(-10) * power(exponent));
}

static void draw_source(const struct mx_plan *p, const struct mx_buffer *b, struct stream s,
                        uint8_t *bytes) {
	size_t width = dtype_bytes(b->type, 1);
	bool is_summed = false;
	for (unsigned i = 0; i < p->n_buffers; i++)
		is_summed |= p->c->buffers[i].hadamard && same(p->c->buffers[i].of, b->name);
	struct number n = number_of(b->type, is_summed);
	for (size_t row = 0; row < b->rows; row++)
		for (size_t col = 0; col < b->cols; col++) {
			uint32_t x = source_element(p, n, b->type, s, row, col);
			memcpy(bytes + mx_buffer_data(b, row) + col * width, &x, width);
		}
}

static void draw_index(const struct mx_buffer *b, size_t rows, struct stream s, uint8_t *bytes) {
	for (size_t i = 0; i < b->cols; i++) {
		struct draw d = draw_at(s, DRAW_ELEMENT, 0, i);
		uint32_t row = d.w[0] >> 29 ? draw_below(d.w[1], (uint32_t)rows) : (uint32_t)rows;
		uint32_t id = row | (d.w[2] & 7) << 24;
		memcpy(bytes + i * sizeof id, &id, sizeof id);
	}
}

void tensor_draw(const struct mx_plan *p, unsigned i, uint64_t seed, uint8_t *bytes) {
	const struct mx_buffer *b = &p->buffers[i];
	struct stream s = draw_stream(seed, p->c->name, b->name);
	for (unsigned k = 0; k < p->n_buffers; k++)
		if (same(p->c->buffers[k].by, b->name)) {
			int of = case_find_buffer(p->c, p->c->buffers[k].of);
			draw_index(b, p->buffers[of].rows, s, bytes);
			return;
		}
	draw_source(p, b, s, bytes);
}

/* ---- what the tensors become ---- */

struct tensor {
	const struct mx_plan *p;
	const struct mx_buffer_spec *spec;
	const struct mx_buffer *x, *codes, *scales, *random;
};

static struct tensor tensor_at(const struct mx_plan *p, unsigned i) {
	const struct mx_buffer_spec *b = &p->c->buffers[i];
	return (struct tensor){
		p,
		b,
		&p->buffers[case_find_buffer(p->c, b->of)],
		&p->buffers[i],
		&p->buffers[quantised_scales(p->c, i)],
		b->random ? &p->buffers[case_find_buffer(p->c, b->random)] : NULL,
	};
}

static bool is_tensor(const struct mx_buffer_spec *b) {
	return b->recipe && b->role == MX_ROLE_NONE;
}

/* The rows of the source, of all groups together, with and without padding. */
static int check_tensor(const struct tensor *t, struct mx_error *err) {
	const struct mx_groups *g = &t->p->groups;
	size_t given = g->n ? 0 : t->x->rows, padded = g->n ? g->begin[g->n] : t->x->rows;
	for (size_t i = 0; i < g->n; i++)
		given += g->rows[i];
	bool along_cols = t->spec->along == MX_ALONG_COLS;
	size_t rows = along_cols ? t->x->cols : padded, cols = along_cols ? padded : t->x->cols;
	size_t blocks = (cols + MX_BLOCK - 1) / MX_BLOCK;
	const char *path = t->p->c->path;
	if (t->x->rows != given)
		return mx_fail(err, "%s: %s has %zu rows, and the groups %zu", path, t->x->name,
		               t->x->rows, given);
	if (t->codes->rows != rows || t->codes->cols != cols)
		return mx_fail(err, "%s: %s is %zu x %zu; quantised, %s is %zu x %zu", path,
		               t->codes->name, t->codes->rows, t->codes->cols, t->x->name, rows,
		               cols);
	if (t->scales->rows != rows || t->scales->cols != blocks)
		return mx_fail(err, "%s: %s is %zu x %zu, and %s needs %zu x %zu", path,
		               t->scales->name, t->scales->rows, t->scales->cols, t->codes->name,
		               rows, blocks);
	if (t->random && (t->random->rows != t->x->rows || t->random->cols != t->x->cols ||
	                  t->random->ld != t->random->line_bytes))
		return mx_fail(err, "%s: %s is not a matrix of %zu x %zu without gaps", path,
		               t->random->name, t->x->rows, t->x->cols);
	return 0;
}

static int check_index(const struct mx_plan *p, unsigned i, struct mx_error *err) {
	const struct mx_buffer_spec *b = &p->c->buffers[i];
	const struct mx_buffer *ids = &p->buffers[case_find_buffer(p->c, b->by)];
	const struct mx_buffer *of = &p->buffers[case_find_buffer(p->c, b->of)];
	const struct mx_buffer *to = &p->buffers[i];
	if (ids->rows != 1 || ids->cols != to->rows)
		return mx_fail(err, "%s: %s is %zu x %zu, and %s needs 1 x %zu", p->c->path,
		               ids->name, ids->rows, ids->cols, to->name, to->rows);
	if (of->cols != to->cols || of->rows >> 24)
		return mx_fail(err, "%s: %s is %zu x %zu, and %s cannot copy its rows", p->c->path,
		               of->name, of->rows, of->cols, to->name);
	return 0;
}

int tensor_check(const struct mx_plan *p, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const struct mx_buffer_spec *b = &p->c->buffers[i];
		const struct tensor t = is_tensor(b) ? tensor_at(p, i) : (struct tensor){ 0 };
		if ((is_tensor(b) && check_tensor(&t, err)) || (b->by && check_index(p, i, err)))
			return -1;
	}
	return 0;
}

static mx_dtype dtype_of(mx_buffer_type t) {
	return t == MX_DT_BF16 ? MX_DTYPE_BF16 : t == MX_DT_F16 ? MX_DTYPE_F16 : MX_DTYPE_F32;
}

/* Padding is quantised as zeros are. */
void quantised_groups(const struct mx_plan *p, size_t rows[MX_MAX_GROUPS],
                      struct mx_quantizer *how) {
	for (size_t g = 0; g < p->groups.n; g++)
		rows[g] = p->groups.rows[g];
	how->group_rows = rows;
	how->groups = p->groups.n;
	how->row_align = (size_t)p->groups.multiple;
	how->pad_scale = mx_scale(how->recipe, how->format, (mx_f32){ 0 }).v;
}

static int quantise(const struct tensor *t, struct mx_data *data, struct mx_error *err) {
	const struct mx_plan *p = t->p;
	struct mx_quantizer how = { .format = dtype_format(t->codes->type), .threads = 1 };
	size_t rows[MX_MAX_GROUPS], x = (size_t)(t->x - p->buffers);
	mx_recipe_by_name(t->spec->recipe, &how.recipe);
	how.hadamard = t->spec->hadamard;
	if (t->random) {
		how.override = true;
		how.rounding = MX_SR;
		how.random = (const uint32_t *)data->bytes[t->random - p->buffers];
	}
	if (p->c->groups)
		quantised_groups(p, rows, &how);
	const struct mx_tensor from = {
		data->bytes[x], dtype_of(t->x->type), t->x->rows,
		t->x->cols,     (ptrdiff_t)t->x->ld,  (ptrdiff_t)dtype_bytes(t->x->type, 1)
	};
	const struct mx_quantised to = { data->bytes[t->codes - p->buffers], t->codes->ld,
		                         data->bytes[t->scales - p->buffers], t->scales->ld };
	bool cols = t->spec->along == MX_ALONG_COLS;
	if (mx_quantize(&how, &from, cols ? NULL : &to, cols ? &to : NULL) == MX_OK)
		return 0;
	return mx_fail(err, "%s: %s cannot be quantised to %s by %s", p->name, t->x->name,
	               t->codes->name, t->spec->recipe);
}

int tensor_fill(const struct mx_plan *p, struct mx_data *data, struct mx_error *err) {
	for (unsigned i = 0; i < p->n_buffers; i++) {
		if (!is_tensor(&p->c->buffers[i]))
			continue;
		const struct tensor t = tensor_at(p, i);
		if (quantise(&t, data, err))
			return -1;
	}
	return 0;
}
