/* The output of a case after a launch, and its product. */
#include "product.h"
#include "values.h"
#include "epilogue.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats, by their names in exact.h ---- */

/* A comparison of a character for most elements, instead of a call. */
static inline bool is(const char *format, const char *name) {
	return *format == *name && !strcmp(format, name);
}

int mx_code_digits(const char *format) {
	return strcmp(format, "FP32") ? 4 : 8;
}

double mx_code_value(const char *format, uint32_t code) {
	uint32_t u = code;
	if (is(format, "BF16"))
		u <<= 16;
	else if (!is(format, "FP32"))
		exact_decode(format, code, &u);
	return (double)exact_float(u);
}

bool mx_code_same(const char *format, uint32_t got, uint32_t want) {
	return got == want ||
	       (isnan(mx_code_value(format, got)) && isnan(mx_code_value(format, want)));
}

void mx_round_to(const char *format, size_t n, uint32_t *v) {
	if (!strcmp(format, "BF16"))
		for (size_t i = 0; i < n; i++)
			v[i] = exact_bf16(v[i]);
	else if (strcmp(format, "FP32"))
		for (size_t i = 0; i < n; i++)
			exact_encode(format, v[i], 0, EXACT_RNE, EXACT_OVERFLOW, 0, &v[i]);
}

/* ---- from accumulators to codes ---- */

struct exact_epilogue mx_output_epilogue(const struct mx_output *o, size_t at) {
	return mx_epilogue_from(&o->epilogue, at / o->g.n, at % o->g.n);
}

/* A kernel whose MODE flushes denormals of f32 does so where it converts its accumulators. */
static uint32_t flushed(const struct mx_output *o, uint32_t acc) {
	bool subnormal = !(acc & 0x7f800000);
	return o->flushes && subnormal ? acc & 0x80000000 : acc;
}

uint32_t mx_output_code(const struct mx_output *o, size_t at, uint32_t acc) {
	struct exact_epilogue e;
	if (!o->has_epilogue) {
		acc = flushed(o, acc);
		mx_round_to(o->format, 1, &acc);
		return acc;
	}
	e = mx_output_epilogue(o, at);
	exact_epilogue(&e, 1, 1, &acc, &acc);
	return acc;
}

struct finishing {
	const struct mx_output *o;
	uint32_t *v;
};

static void finish_rows(void *context, size_t from, size_t to) {
	const struct finishing *f = context;
	const struct mx_output *o = f->o;
	uint32_t *v = f->v + from * o->g.n;
	size_t n = (to - from) * o->g.n;
	if (o->has_epilogue) {
		struct exact_epilogue part = mx_epilogue_from(&o->epilogue, from, 0);
		exact_epilogue(&part, to - from, o->g.n, v, v);
		return;
	}
	for (size_t i = 0; o->flushes && i < n; i++)
		v[i] = flushed(o, v[i]);
	mx_round_to(o->format, n, v);
}

void mx_output_finish(const struct mx_output *o, uint32_t *v) {
	size_t some = o->has_epilogue ? MX_OUTPUT_SOME / 16 : MX_OUTPUT_SOME;
	exact_parallel(o->g.threads, o->g.m, some / (o->g.n + 1) + 1, finish_rows,
	               &(struct finishing){ o, v });
}

/* ---- operands ---- */

static const uint8_t *role_bytes(const struct mx_bench *b, mx_role role) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].role == role)
			return b->data.bytes[i];
	return NULL;
}

static struct exact_operand operand(const struct mx_bench *b, mx_role role, mx_role scale) {
	const struct mx_buffer *x = mx_plan_role(&b->plan, role),
			       *s = mx_plan_role(&b->plan, scale);
	return (struct exact_operand){ mx_type_format(x->type), role_bytes(b, role),
		                       role_bytes(b, scale), x->ld, s->ld };
}

struct exact_operand mx_operand_from(struct exact_operand o, size_t row) {
	o.codes += row * o.ld;
	o.scales += row * o.ld_scales;
	return o;
}

static struct exact_operand slice(struct exact_operand o, size_t from) {
	size_t bits = strchr(o.format, '4') || !strcmp(o.format, "E5M2") ? 8
	              : !strcmp(o.format, "E2M1")                        ? 4
	                                                                 : 6;
	o.codes += from * bits / 8;
	o.scales += from / 32;
	return o;
}

struct exact_gemm mx_product_slice(const struct exact_gemm *g, size_t from, size_t k) {
	struct exact_gemm s = *g;
	s.a = slice(g->a, from);
	s.b = slice(g->b, from);
	s.k = k;
	return s;
}

/* ---- outputs ---- */

/* n elements of `bytes` bytes, `stride` bytes apart. */
static inline __attribute__((always_inline)) void
read_row(const uint8_t *data, size_t stride, size_t n, unsigned bytes, uint32_t *restrict got) {
	for (size_t i = 0; i < n; i++) {
		uint32_t v = 0;
		memcpy(&v, data + i * stride, bytes);
		got[i] = v;
	}
}

/* How many bytes of each are unwritten. */
static void count_row(const uint8_t *unwritten, size_t stride, size_t n, unsigned bytes,
                      uint8_t *restrict missing) {
	for (size_t i = 0; i < n; i++) {
		uint8_t count = 0;
		for (unsigned k = 0; k < bytes; k++)
			count += unwritten[i * stride + k];
		missing[i] = count;
	}
}

/* What is read of the elements of o, which may be a part of C. */
struct reading {
	struct mx_output *o;
	const struct mx_buffer *c;
	const uint8_t *data, *unwritten; /* NULL: not needed */
};

static unsigned bytes_of(const struct mx_buffer *c) {
	return c->type == MX_DT_F32 ? 4 : 2;
}

/* A row of a packed buffer, whose elements are anywhere. */
static void read_packed(const struct reading *r, size_t row) {
	const struct mx_output *o = r->o;
	unsigned bytes = bytes_of(r->c);
	for (size_t i = 0; i < o->g.n; i++) {
		size_t at = mx_buffer_at(r->c, o->row + row, o->col + i), to = row * o->g.n + i;
		if (r->data)
			read_row(r->data + at, bytes, 1, bytes, o->own_got + to);
		if (r->unwritten)
			count_row(r->unwritten + at, bytes, 1, bytes, o->unwritten + to);
	}
}

/* The common layouts separately, so that the compiler vectorises them. */
static void read_line(const struct reading *r, size_t row) {
	const struct mx_output *o = r->o;
	unsigned bytes = bytes_of(r->c);
	size_t from = mx_buffer_at(r->c, o->row + row, o->col), to = row * o->g.n;
	size_t stride = mx_buffer_at(r->c, o->row + row, o->col + 1) - from;
	if (r->data && bytes == 4 && stride == 4)
		read_row(r->data + from, 4, o->g.n, 4, o->own_got + to);
	else if (r->data && bytes == 2 && stride == 2)
		read_row(r->data + from, 2, o->g.n, 2, o->own_got + to);
	else if (r->data)
		read_row(r->data + from, stride, o->g.n, bytes, o->own_got + to);
	if (r->unwritten)
		count_row(r->unwritten + from, stride, o->g.n, bytes, o->unwritten + to);
}

static void read_rows(void *context, size_t from, size_t to) {
	const struct reading *r = context;
	for (size_t row = from; r->o->g.n && row < to; row++)
		(r->c->packing.layout ? read_packed : read_line)(r, row);
}

/* Whether the elements of o lie in C as they do in `got`. */
static bool is_in_place(const struct mx_output *o, const struct mx_buffer *c) {
	return c->type == MX_DT_F32 && c->order == MX_ORDER_ROW && !c->packing.layout &&
	       !o->is_tile && c->ld == o->g.n * sizeof *o->got;
}

static int allocate(struct mx_output *o, bool has_got) {
	size_t n = o->g.m * o->g.n + 1;
	if (!has_got)
		o->got = o->own_got = malloc(n * sizeof *o->own_got);
	o->want = malloc(n * sizeof *o->want);
	o->unwritten = calloc(n, 1);
	o->differs = calloc(n, 1);
	return o->got && o->want && o->unwritten && o->differs ? 0 : -1;
}

static unsigned threads = 1;

void mx_judge_threads(unsigned n) {
	threads = n;
	exact_blas_threads(n);
}

unsigned mx_judge_n_threads(void) {
	return threads;
}

/* Reads what the bytes of C hold of o. */
static int read_codes(const struct mx_bench *b, struct mx_output *o, struct mx_error *err) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	const struct bench_buffer *x = &b->buffer[c - b->plan.buffers];
	bool in_place = is_in_place(o, c);
	if (in_place)
		o->got = (const uint32_t *)(const void *)(x->after + c->guard);
	if (allocate(o, in_place))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	o->has_unwritten = x->has_unwritten;
	struct reading r = { o, c, in_place ? NULL : x->after + c->guard,
		             o->has_unwritten ? x->unwritten + c->guard : NULL };
	if (r.data || r.unwritten)
		exact_parallel(o->g.threads, o->g.m, MX_OUTPUT_SOME / (o->g.n + 1) + 1, read_rows,
		               &r);
	return 0;
}

/* The whole output, without codes. */
static struct mx_output whole(const struct mx_bench *b) {
	struct mx_output o = {
		.g = { (size_t)b->plan.M, (size_t)b->plan.N, (size_t)b->plan.K,
		       operand(b, MX_ROLE_A, MX_ROLE_A_SCALE),
		       operand(b, MX_ROLE_B, MX_ROLE_B_SCALE), threads, b->plan.c->verdict.k_tile },
		.format = mx_type_format(mx_plan_role(&b->plan, MX_ROLE_C)->type),
		.flushes = b->plan.c->verdict.flush,
		.has_epilogue = b->epilogue != NULL,
	};
	if (b->epilogue)
		o.epilogue = *b->epilogue;
	return o;
}

int mx_output_read(const struct mx_bench *b, struct mx_output *o, struct mx_error *err) {
	*o = whole(b);
	return read_codes(b, o, err);
}

int mx_output_read_tile(const struct mx_bench *b, const struct mx_tile *t, struct mx_output *o,
                        struct mx_error *err) {
	*o = whole(b);
	const struct mx_groups *groups = &b->plan.groups;
	if (groups->n && b->plan.c->groups->of == MX_GROUPS_COLS)
		o->g = mx_product_slice(&o->g, groups->begin[t->group], groups->rows[t->group]);
	o->g.m = t->rows, o->g.n = t->cols;
	o->g.a = mx_operand_from(o->g.a, t->a), o->g.b = mx_operand_from(o->g.b, t->b);
	o->is_tile = true;
	o->row = t->row, o->col = t->col;
	if (b->epilogue &&
	    mx_epilogue_make_tile(&b->plan, &b->data, b->epilogue, t, &o->epilogue, err))
		return -1;
	o->c_of_tile = b->epilogue ? (uint32_t *)o->epilogue.c : NULL;
	return read_codes(b, o, err);
}

void mx_output_free(struct mx_output *o) {
	free(o->own_got);
	if (!o->wants_expected)
		free(o->want);
	free(o->unwritten);
	free(o->differs);
	free(o->c_of_tile);
}

int mx_output_part(const struct mx_output *o, size_t row, size_t col, size_t rows, size_t cols,
                   struct mx_output *part) {
	*part = (struct mx_output){
		.g = { rows, cols, o->g.k, mx_operand_from(o->g.a, row),
		       mx_operand_from(o->g.b, col), 0, o->g.k_tile },
		.format = o->format,
		.flushes = o->flushes,
		.has_epilogue = o->has_epilogue,
		.is_tile = true,
		.row = row,
		.col = col,
	};
	if (o->has_epilogue)
		part->epilogue = mx_epilogue_from(&o->epilogue, row, col);
	part->has_unwritten = o->has_unwritten;
	if (allocate(part, false))
		return -1;
	for (size_t i = 0; i < rows * cols; i++) {
		size_t from = (row + i / cols) * o->g.n + col + i % cols;
		part->own_got[i] = o->got[from];
		part->unwritten[i] = o->unwritten[from];
	}
	return 0;
}

void mx_output_count(struct mx_output *o) {
	size_t n = o->g.m * o->g.n;
	o->wrong = 0;
	for (size_t i = 0; o->has_unwritten && i < n; i++)
		o->differs[i] |= o->unwritten[i] != 0;
	for (size_t i = 0; i < n; i++)
		o->wrong += o->differs[i];
	if (o->wrong)
		o->first = (size_t)((uint8_t *)memchr(o->differs, 1, n) - o->differs);
}

struct comparing {
	struct mx_output *o;
	atomic_bool differs; /* some bits do */
};

static void compare_some(void *context, size_t from, size_t to) {
	struct comparing *c = context;
	const struct mx_output *o = c->o;
	if (!memcmp(o->got + from, o->want + from, (to - from) * sizeof *o->got))
		return;
	atomic_store(&c->differs, true);
	for (size_t i = from; i < to; i++)
		o->differs[i] =
			o->got[i] != o->want[i] && !mx_code_same(o->format, o->got[i], o->want[i]);
}

/* Equal elements leave the pages of `differs` untouched. */
void mx_output_compare(struct mx_output *o) {
	struct comparing c = { .o = o };
	exact_parallel(o->g.threads, o->g.m * o->g.n, MX_OUTPUT_SOME, compare_some, &c);
	o->is_same = !atomic_load(&c.differs);
	if (!o->is_same || o->has_unwritten)
		mx_output_count(o);
}

static size_t count_unwritten(const struct mx_output *o) {
	size_t n = 0;
	for (size_t i = 0; o->has_unwritten && i < o->g.m * o->g.n; i++)
		n += o->unwritten[i] != 0;
	return n;
}

void mx_output_note(const struct mx_output *o, const struct mx_bench *b, const char *kind,
                    struct mx_verdict *v) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	uint32_t got = o->got[o->first], want = o->want[o->first];
	int digits = mx_code_digits(o->format);
	size_t unwritten = count_unwritten(o);
	char note[48] = "";
	if (unwritten)
		snprintf(note, sizeof note, ", %zu of them not written", unwritten);
	mx_verdict_locate(
		v, b, c,
		(long long)mx_buffer_at(c, o->row + o->first / o->g.n, o->col + o->first % o->g.n));
	mx_verdict_add(v, MX_WRONG_NUMBERS, o->unwritten[o->first] ? "not-written" : kind,
	               "%s[%zu][%zu] is 0x%0*" PRIx32 " (%.9g), must be %s0x%0*" PRIx32
	               " (%.9g); %zu of %zu elements%s are wrong%s",
	               c->name, o->row + o->first / o->g.n, o->col + o->first % o->g.n, digits, got,
	               mx_code_value(o->format, got), strcmp(kind, "wrong-bits") ? "about " : "",
	               digits, want, mx_code_value(o->format, want), o->wrong, o->g.m * o->g.n,
	               o->is_tile ? " of its tile" : "", note);
}
