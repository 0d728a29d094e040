/* The reference of a case: its buffers, and their sizes at a shape. */
#include "reference.h"
#include "dtype.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	bool is_output;
} slots[] = {
#define MX_SLOT(id, name, is_output) { #name, is_output },
#include "references.def"
#undef MX_SLOT
};

static const struct {
	const char *name;
	uint64_t needs, allows; /* a bit for each slot */
} references[] = {
#define MX_REFERENCE(id, name, needs, allows) { #name, needs, (needs) | (allows) },
#include "references.def"
#undef MX_REFERENCE
};

bool reference_slot_is_output(mx_slot slot) {
	return slots[slot].is_output;
}

bool reference_is_table(int slot) {
	return slot == MX_SLOT_PAGES || slot == MX_SLOT_LENGTHS || slot == MX_SLOT_PAGE_BEGIN ||
	       slot == MX_SLOT_LAST_PAGE || slot == MX_SLOT_TOKENS || slot == MX_SLOT_EXPERTS ||
	       slot == MX_SLOT_COUNT;
}

int reference_slot_of(const struct mx_case *c, unsigned i) {
	for (int k = 0; c->reference && k < MX_SLOTS; k++) {
		const char *name = c->reference->slot[k];
		if (name && !strcmp(name, c->buffers[i].name))
			return k;
	}
	return -1;
}

/* ---- checks of the file ---- */

/* Why a buffer does not suit a slot; NULL: it does. */
static const char *bad_buffer(const struct mx_case *c, mx_slot k) {
	int i = case_find_buffer(c, c->reference->slot[k]);
	const struct mx_buffer_spec *b = i < 0 ? NULL : &c->buffers[i];
	bool wide = b && (b->type == MX_DT_F32 || b->type == MX_DT_BF16 || b->type == MX_DT_F16 ||
	                  b->type == MX_DT_F64);
	if (!b)
		return "no buffer has this name";
	if (b->role != MX_ROLE_NONE)
		return "a buffer of the reference has role none";
	int slot = reference_slot_of(c, (unsigned)i);
	if (slot != (int)k && !(slot == MX_SLOT_K && k == MX_SLOT_V && c->reference->width))
		return "the buffer is already in the reference";
	if (k == MX_SLOT_INDICES || reference_is_table(k))
		return b->type == MX_DT_I32 || b->type == MX_DT_U32 ? NULL
		                                                    : "indices are i32 or u32";
	if (k == MX_SLOT_ROUTING && b->type != MX_DT_F32)
		return "weights of tokens are f32";
	if (slots[k].is_output && !wide)
		return "an output is f32, bf16, f16 or f64";
	if ((k == MX_SLOT_BIAS || k == MX_SLOT_WEIGHT) && !wide)
		return "a bias or weight is f32, bf16, f16 or f64";
	return NULL;
}

static bool is_number(const char *text) {
	char *end;
	double v = text ? strtod(text, &end) : 1;
	return !text || (end != text && !*end && isfinite(v) && v != 0);
}

static bool is_norm(mx_reference_op op) {
	return op == MX_REFERENCE_LAYER_NORM || op == MX_REFERENCE_RMS_NORM;
}

/* Why the reference is wrong, and the key at fault; NULL: it is right. */
static const char *bad_reference(const struct mx_case *c, const char **key) {
	const struct mx_reference_spec *r = c->reference;
	*key = "op";
	for (unsigned k = 0; k < MX_SLOTS; k++) {
		bool given = r->slot[k] != NULL;
		if (given || references[r->op].needs >> k & 1)
			*key = slots[k].name;
		if (!given && references[r->op].needs >> k & 1)
			return "this reference needs the key";
		if (given && !(references[r->op].allows >> k & 1))
			return "not a key of this reference";
		const char *why = given ? bad_buffer(c, (mx_slot)k) : NULL;
		if (why)
			return why;
	}
	*key = r->n_a_block ? "a_block" : "b_block";
	if ((r->n_a_block && !r->slot[MX_SLOT_A_SCALE]) ||
	    (r->n_b_block && !r->slot[MX_SLOT_B_SCALE]))
		return "there are no scales";
	*key = "eps";
	if (is_norm(r->op) != (r->eps != NULL))
		return r->eps ? "not a key of this reference" : "this reference needs the key";
	if (r->eps && !(is_number(r->eps) && strtod(r->eps, NULL) > 0))
		return "not a finite number above 0";
	*key = "tile";
	if (r->op == MX_REFERENCE_ATTENTION && (r->p >= MX_WEIGHTS_BLOCKS) != (r->tile != NULL))
		return r->tile ? "only weights in blocks have tiles"
		               : "weights in blocks need the key";
	*key = "lazy";
	if (r->lazy && (r->op != MX_REFERENCE_ATTENTION || r->p < MX_WEIGHTS_BLOCKS))
		return "only weights in blocks have it";
	*key = "topk";
	if (r->op == MX_REFERENCE_MOE && !(r->topk && r->n_experts && r->tile))
		return "this reference needs topk, n_experts and tile";
	*key = "page";
	if (!r->page != !r->slot[MX_SLOT_PAGES])
		return "`pages` and `page` need each other";
	*key = "page_begin";
	if (r->slot[MX_SLOT_PAGE_BEGIN] && !r->page)
		return "there are no pages";
	*key = "last_page";
	if (r->slot[MX_SLOT_LAST_PAGE] &&
	    (!r->slot[MX_SLOT_PAGE_BEGIN] || r->slot[MX_SLOT_LENGTHS]))
		return "a last page needs page_begin, and no lengths";
	return NULL;
}

static mx_buffer_type type_of(const struct mx_case *c, mx_slot k) {
	return c->buffers[case_find_buffer(c, c->reference->slot[k])].type;
}

static bool is_row_major(const struct mx_case *c, mx_slot k) {
	return c->buffers[case_find_buffer(c, c->reference->slot[k])].order == MX_ORDER_ROW;
}

/* Whether a factor has MX elements and scales of a WMMA. */
static bool is_scaled(const struct mx_case *c, mx_slot k, mx_slot scale) {
	return dtype_is_format(type_of(c, k)) && c->reference->slot[scale] &&
	       (dtype_is_scale(type_of(c, scale)) || type_of(c, scale) == MX_DT_E4M3) &&
	       is_row_major(c, k) && is_row_major(c, scale);
}

/* Whether the product has bits by an instruction. */
static bool has_bits(const struct mx_case *c) {
	const struct mx_reference_spec *r = c->reference;
	if (r->op != MX_REFERENCE_PRODUCT || r->slot[MX_SLOT_BIAS])
		return false;
	if (!r->slot[MX_SLOT_A_SCALE] && !r->slot[MX_SLOT_B_SCALE])
		return type_of(c, MX_SLOT_A) == MX_DT_F32 && type_of(c, MX_SLOT_B) == MX_DT_F32;
	return is_scaled(c, MX_SLOT_A, MX_SLOT_A_SCALE) && is_scaled(c, MX_SLOT_B, MX_SLOT_B_SCALE);
}

int reference_check(struct source *s, const struct mx_case *c, struct mx_error *err) {
	const yaml_node_t *root = yaml_document_get_root_node(&s->document);
	const yaml_node_t *node = source_key(s, root, "reference");
	const char *key;
	if (!c->reference)
		return 0;
	mx_judge judge = c->verdict.judge;
	if (judge != MX_JUDGE_BOUND && judge != MX_JUDGE_CLOSE && judge != MX_JUDGE_BITS)
		return source_fail(err, s, source_line(source_key(s, root, "verdict")),
		                   "a case with a reference has judge bound, close or bits");
	const char *why = bad_reference(c, &key);
	if (!why && judge == MX_JUDGE_BITS && !has_bits(c))
		key = "op", why = "judge bits is for products without bias, of f32, or of rows of "
				  "MX formats with scales in e8m0, e5m3 or e4m3";
	if (!why)
		return 0;
	const yaml_node_t *at = source_key(s, node, key);
	return source_fail(err, s, source_line(at ? at : node), "reference.%s: %s", key, why);
}

/* ---- sizes ---- */

static int size_fail(const struct mx_plan *p, mx_slot k, size_t rows, size_t cols,
                     struct mx_error *err) {
	const struct mx_buffer *b = &p->buffers[p->reference.slot[k]];
	return field_fail(err, p->c, (struct field){ "reference.", -1, slots[k].name },
	                  "%s is %zu x %zu, must be %zu x %zu", b->name, b->rows, b->cols, rows,
	                  cols);
}

/* Buffers that are absent fit. */
static int check_size(const struct mx_plan *p, mx_slot k, size_t rows, size_t cols,
                      struct mx_error *err) {
	int i = p->reference.slot[k];
	if (i < 0 || (p->buffers[i].rows == rows && p->buffers[i].cols == cols))
		return 0;
	return size_fail(p, k, rows, cols, err);
}

static const struct mx_buffer *buffer_of(const struct mx_plan *p, mx_slot k) {
	return &p->buffers[p->reference.slot[k]];
}

/* Rows and columns that share a scale; without the key all do. */
static int make_block(const struct scope *s, struct mx_plan *p, mx_slot k, char **texts, unsigned n,
                      const struct mx_buffer *of, size_t block[2], struct mx_error *err) {
	int64_t v[2] = { of->rows ? (int64_t)of->rows : 1, of->cols ? (int64_t)of->cols : 1 };
	for (int i = 0; i < 2 && n; i++)
		if (scope_eval(s,
		               (struct field){ k == MX_SLOT_A_SCALE ? "reference.a_block"
		                                                    : "reference.b_block",
		                               i, "" },
		               texts[i], (struct range){ 1, INT64_C(1) << 40 }, &v[i], err))
			return -1;
	block[0] = (size_t)v[0];
	block[1] = (size_t)v[1];
	return check_size(p, k, (of->rows + block[0] - 1) / block[0],
	                  (of->cols + block[1] - 1) / block[1], err);
}

/* Scales are those of the instruction, one for each of its blocks of a row. */
static int check_blocks(const struct mx_plan *p, struct mx_error *err) {
	const struct mx_wmma *op = mx_wmma_by_name(p->c->verdict.instruction);
	const size_t *a = p->reference.a_block, *b = p->reference.b_block;
	if (!op || (a[0] == 1 && b[0] == 1 && a[1] == op->block && b[1] == op->block))
		return 0;
	return field_fail(err, p->c, (struct field){ "reference", -1, "" },
	                  "a scale of %s is of 1 x %u elements", op->name, op->block);
}

static int make_product(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_reference_spec *r = p->c->reference;
	struct mx_reference *x = &p->reference;
	const struct mx_buffer *a = buffer_of(p, MX_SLOT_A), *b = buffer_of(p, MX_SLOT_B);
	if (check_size(p, MX_SLOT_B, b->rows, a->cols, err) ||
	    check_size(p, MX_SLOT_C, a->rows, b->rows, err) ||
	    check_size(p, MX_SLOT_BIAS, 1, b->rows, err) ||
	    make_block(s, p, MX_SLOT_A_SCALE, r->a_block, r->n_a_block, a, x->a_block, err))
		return -1;
	if (make_block(s, p, MX_SLOT_B_SCALE, r->b_block, r->n_b_block, b, x->b_block, err))
		return -1;
	return check_blocks(p, err);
}

static int make_count(const struct scope *s, const char *name, const char *text, size_t *n,
                      struct mx_error *err) {
	int64_t v = 1;
	if (text && scope_eval(s, (struct field){ "reference.", -1, name }, text,
	                       (struct range){ 1, 1 << 20 }, &v, err))
		return -1;
	*n = (size_t)v;
	return 0;
}

/* The keys of a batch: rows of K, or pages of a table; as many as a table says. */
static int make_keys(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	struct mx_reference *x = &p->reference;
	size_t rows = buffer_of(p, MX_SLOT_K)->rows, pages = 0;
	bool list = x->slot[MX_SLOT_PAGE_BEGIN] >= 0;
	if (p->c->reference->page) {
		if (make_count(s, "page", p->c->reference->page, &x->page, err))
			return -1;
		pages = buffer_of(p, MX_SLOT_PAGES)->cols;
	}
	if (rows % (x->page ? x->page : x->batch))
		return field_fail(err, p->c, (struct field){ "reference", -1, "" },
		                  "%s does not divide the rows of K", x->page ? "page" : "batch");
	if (pages > rows / (x->page ? x->page : 1))
		return field_fail(err, p->c, (struct field){ "reference.", -1, "pages" },
		                  "%zu pages for a batch, but K has only %zu", pages,
		                  rows / x->page);
	x->keys = x->page ? x->page * pages : rows / x->batch;
	if (list && pages < x->batch)
		return size_fail(p, MX_SLOT_PAGES, 1, x->batch, err);
	return check_size(p, MX_SLOT_PAGES, list ? 1 : x->batch, pages, err) ||
	                       check_size(p, MX_SLOT_PAGE_BEGIN, 1, x->batch + 1, err) ||
	                       check_size(p, MX_SLOT_LAST_PAGE, 1, x->batch, err) ||
	                       check_size(p, MX_SLOT_LENGTHS, 1, x->batch, err)
	               ? -1
	               : 0;
}

static int make_scale(const struct scope *s, size_t depth, double *scale, struct mx_error *err) {
	const char *text = s->c->reference->scale;
	struct field at = { "reference", -1, ".scale" };
	struct mx_error why;
	*scale = 1 / sqrt((double)depth);
	if (text && mx_expr_real(text, s->names, s->n, scale, &why))
		return field_fail(err, s->c, at, "%s", why.text);
	return *scale != 0 ? 0 : field_fail(err, s->c, at, "it is 0");
}

/* Scales divide rows and columns of what they scale evenly. `rows`: of scales, if not the buffer's.
 */
static int check_scales(const struct mx_plan *p, mx_slot k, mx_slot scale, size_t rows,
                        struct mx_error *err) {
	if (p->reference.slot[scale] < 0)
		return 0;
	const struct mx_buffer *x = buffer_of(p, k), *s = buffer_of(p, scale);
	if (s->rows && s->cols && rows % s->rows == 0 && x->cols % s->cols == 0)
		return 0;
	return field_fail(err, p->c, (struct field){ "reference.", -1, slots[scale].name },
	                  "%zu x %zu scales do not divide %zu x %zu elements evenly", s->rows,
	                  s->cols, rows, x->cols);
}

/* Rows are those of each batch, one below the other; columns those of each head, side by side. */
static int make_attention(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_reference_spec *r = p->c->reference;
	struct mx_reference *x = &p->reference;
	const struct mx_buffer *q = buffer_of(p, MX_SLOT_Q), *k = buffer_of(p, MX_SLOT_K),
			       *v = buffer_of(p, MX_SLOT_V);
	if (make_count(s, "heads", r->heads, &x->heads, err) ||
	    make_count(s, "kv_heads", r->kv_heads ? r->kv_heads : r->heads, &x->kv_heads, err) ||
	    make_count(s, "batch", r->batch, &x->batch, err))
		return -1;
	if (q->cols % x->heads || v->cols % x->kv_heads || x->heads % x->kv_heads ||
	    q->rows % x->batch)
		return field_fail(err, p->c, (struct field){ "reference", -1, "" },
		                  "heads, kv_heads or batch do not divide the sizes");
	size_t depth = q->cols / x->heads;
	x->width = v->cols / x->kv_heads;
	if (r->width && make_count(s, "width", r->width, &x->width, err))
		return -1;
	if (x->width > v->cols / x->kv_heads)
		return size_fail(p, MX_SLOT_V, k->rows, x->width * x->kv_heads, err);
	if (make_scale(s, depth, &x->scale, err) || make_count(s, "tile", r->tile, &x->tile, err) ||
	    check_scales(p, MX_SLOT_Q, MX_SLOT_Q_SCALE, q->rows, err) ||
	    check_scales(p, MX_SLOT_K, MX_SLOT_K_SCALE, k->rows, err) ||
	    check_scales(p, MX_SLOT_V, MX_SLOT_V_SCALE, v->rows, err))
		return -1;
	if (r->lazy && make_count(s, "lazy", r->lazy, &x->lazy, err))
		return -1;
	if (r->tile && x->tile % 32)
		return field_fail(err, p->c, (struct field){ "reference.", -1, "tile" },
		                  "%zu keys are not whole blocks of 32", x->tile);
	if (make_keys(s, p, err) || check_size(p, MX_SLOT_K, k->rows, depth * x->kv_heads, err) ||
	    check_size(p, MX_SLOT_V, k->rows, v->cols, err) ||
	    check_size(p, MX_SLOT_O, q->rows, x->width * x->heads, err) ||
	    check_size(p, MX_SLOT_LSE, x->batch * x->heads, q->rows / x->batch, err))
		return -1;
	return 0;
}

/* Rows that tokens may take if they are sorted, each expert padded to whole tiles. */
static size_t most_sorted(const struct mx_reference *x, size_t tokens) {
	size_t rows = tokens * x->topk, experts = rows < x->n_experts ? rows : x->n_experts;
	return rows + experts * (x->tile - 1);
}

/* The tables are one line each: the tokens, and the expert of each tile. */
static int check_tables(const struct mx_plan *p, struct mx_error *err) {
	const struct mx_reference *x = &p->reference;
	const struct mx_buffer *tokens = buffer_of(p, MX_SLOT_TOKENS),
			       *experts = buffer_of(p, MX_SLOT_EXPERTS);
	size_t needs = most_sorted(x, buffer_of(p, MX_SLOT_X)->rows);
	size_t count = x->slot[MX_SLOT_COUNT] < 0 ? 1 : buffer_of(p, MX_SLOT_COUNT)->cols;
	if (tokens->cols < needs)
		return field_fail(err, p->c, (struct field){ "reference.", -1, "tokens" },
		                  "%s has %zu columns, sorted tokens may need %zu", tokens->name,
		                  tokens->cols, needs);
	if (experts->cols < tokens->cols / x->tile)
		return size_fail(p, MX_SLOT_EXPERTS, 1, tokens->cols / x->tile, err);
	if (count < 1 || count > 2)
		return size_fail(p, MX_SLOT_COUNT, 1, 2, err);
	return check_size(p, MX_SLOT_TOKENS, 1, tokens->cols, err) ||
	                       check_size(p, MX_SLOT_EXPERTS, 1, experts->cols, err) ||
	                       check_size(p, MX_SLOT_COUNT, 1, count, err)
	               ? -1
	               : check_size(p, MX_SLOT_ROUTING, 1, tokens->cols, err);
}

static int make_moe(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_reference_spec *r = p->c->reference;
	struct mx_reference *m = &p->reference;
	const struct mx_buffer *x = buffer_of(p, MX_SLOT_X), *w1 = buffer_of(p, MX_SLOT_W1);
	if (make_count(s, "topk", r->topk, &m->topk, err) ||
	    make_count(s, "n_experts", r->n_experts, &m->n_experts, err) ||
	    make_count(s, "tile", r->tile, &m->tile, err))
		return -1;
	m->part = m->inner = w1->rows / m->n_experts / 2;
	if (r->part && make_count(s, "part", r->part, &m->part, err))
		return -1;
	if (m->topk > m->n_experts || w1->rows % (2 * m->n_experts) || !m->inner)
		return field_fail(err, p->c, (struct field){ "reference", -1, "" },
		                  "w1 with %zu rows, %zu experts, %zu for a token: w1 must have "
		                  "two halves for each expert, and a token at most all experts",
		                  w1->rows, m->n_experts, m->topk);
	bool fused = m->slot[MX_SLOT_W2] >= 0;
	size_t width = fused ? buffer_of(p, MX_SLOT_W2)->rows / m->n_experts : m->inner;
	size_t sorted = buffer_of(p, MX_SLOT_TOKENS)->cols;
	if (check_tables(p, err) || check_size(p, MX_SLOT_W1, w1->rows, x->cols, err) ||
	    check_size(p, MX_SLOT_W2, width * m->n_experts, m->inner, err) ||
	    check_size(p, MX_SLOT_O, fused ? x->rows : x->rows * m->topk, width, err) ||
	    check_scales(p, MX_SLOT_X, MX_SLOT_X_SCALE, r->sorted_scale ? sorted : x->rows, err) ||
	    check_scales(p, MX_SLOT_W1, MX_SLOT_W1_SCALE, w1->rows, err) ||
	    (fused && check_scales(p, MX_SLOT_W2, MX_SLOT_W2_SCALE, width * m->n_experts, err)))
		return -1;
	return 0;
}

static int make_norm(struct mx_plan *p, const struct mx_buffer *x, struct mx_error *err) {
	p->reference.eps = strtod(p->c->reference->eps, NULL);
	if (check_size(p, MX_SLOT_WEIGHT, 1, x->cols, err) ||
	    check_size(p, MX_SLOT_BIAS, 1, x->cols, err))
		return -1;
	return check_size(p, MX_SLOT_Y, x->rows, x->cols, err);
}

int reference_make(const struct scope *s, struct mx_plan *p, struct mx_error *err) {
	const struct mx_reference_spec *r = p->c->reference;
	if (!r)
		return 0;
	for (unsigned k = 0; k < MX_SLOTS; k++)
		p->reference.slot[k] = r->slot[k] ? case_find_buffer(p->c, r->slot[k]) : -1;
	const struct mx_buffer *x = r->slot[MX_SLOT_X] ? buffer_of(p, MX_SLOT_X) : NULL;
	switch (r->op) {
	case MX_REFERENCE_PRODUCT: return make_product(s, p, err);
	case MX_REFERENCE_ATTENTION: return make_attention(s, p, err);
	case MX_REFERENCE_MOE: return make_moe(s, p, err);
	case MX_REFERENCE_SOFTMAX: return check_size(p, MX_SLOT_Y, x->rows, x->cols, err);
	case MX_REFERENCE_LAYER_NORM:
	case MX_REFERENCE_RMS_NORM: return make_norm(p, x, err);
	case MX_REFERENCE_TOPK: break;
	}
	const struct mx_buffer *w = buffer_of(p, MX_SLOT_WEIGHTS);
	if (w->cols > x->cols)
		return size_fail(p, MX_SLOT_WEIGHTS, x->rows, x->cols, err);
	return check_size(p, MX_SLOT_WEIGHTS, x->rows, w->cols, err) ||
	                       check_size(p, MX_SLOT_INDICES, x->rows, w->cols, err)
	               ? -1
	               : 0;
}
