/* Judge bits: in the exact regime the only right answer, otherwise the profile's. */
#include "product.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_exact(const struct mx_bench *b) {
	return b->plan.regime == MX_REGIME_EXACT && mx_arithmetic_keeps_regime(&b->arithmetic);
}

static enum exact_status compute(const struct mx_bench *b, const struct exact_gemm *g,
                                 uint32_t *out) {
	return is_exact(b)
	               ? exact_product(g, out)
	               : mx_arithmetic_product(&b->arithmetic, g, b->plan.c->verdict.mma_k, out);
}

/* Operands with a fault need not be in the exact regime, even if the right ones are. For one
 * element the plain walk is faster. */
bool mx_bits_explains(const struct mx_bench *b, const struct mx_output *o, size_t at,
                      const struct exact_gemm *one, uint32_t got) {
	unsigned mma_k = b->plan.c->verdict.mma_k;
	uint32_t acc = 0;
	if (is_exact(b) && exact_product(one, &acc) == EXACT_OK &&
	    mx_code_same(o->format, got, mx_output_code(o, at, acc)))
		return true;
	return mx_arithmetic_one(&b->arithmetic, one, mma_k, &acc) == EXACT_OK &&
	       mx_code_same(o->format, got, mx_output_code(o, at, acc));
}

static int fail(const struct mx_bench *b, enum exact_status s, struct mx_error *err) {
	return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(s));
}

static int check_regime(const struct mx_bench *b, const struct exact_gemm *g,
                        struct mx_error *err) {
	char why[256] = "";
	bool exact = true;
	enum exact_status s = is_exact(b) ? exact_regime(g, &exact, why, sizeof why) : EXACT_OK;
	if (s != EXACT_OK)
		return fail(b, s, err);
	return exact ? 0
	             : mx_fail(err, "%s: data are not in the exact regime: %s", b->plan.name, why);
}

/* Whether the epilogue keeps exact accumulators exact. */
static int check_epilogue(const struct mx_bench *b, const struct mx_output *o,
                          struct mx_error *err) {
	char why[256];
	if (!is_exact(b) || !o->has_epilogue ||
	    exact_epilogue_regime(&o->epilogue, o->g.m, o->g.n, b->expected, why, sizeof why))
		return 0;
	return mx_fail(err, "%s: data are not in the exact regime: %s", b->plan.name, why);
}

static void append(char *text, size_t room, const char *more) {
	strncat(text, more, room - strlen(text) - 1);
}

static void describe_basis(struct mx_bench *b, const struct mx_output *o) {
	const struct mx_epilogue_spec *e = b->plan.c->epilogue;
	if (is_exact(b))
		snprintf(b->basis, sizeof b->basis,
		         "exact regime: any order of K%s, any profile of 24 bits or more",
		         e ? " and of the epilogue" : "");
	else
		snprintf(b->basis, sizeof b->basis,
		         "profile %s, K in order by %u, one accumulator; NaN payload free",
		         b->arithmetic.text, b->plan.c->verdict.mma_k);
	if (e && !is_exact(b)) {
		append(b->basis, sizeof b->basis, "; epilogue ");
		append(b->basis, sizeof b->basis, mx_epilogue_order_name(e->order));
	}
	if (o->flushes)
		append(b->basis, sizeof b->basis, "; subnormal results flushed");
	if (!strcmp(o->format, "BF16"))
		append(b->basis, sizeof b->basis,
		       e && e->order == MX_ONCE ? "; bf16 at once" : "; f32, then bf16");
}

static int fill_expected(struct mx_bench *b, const struct mx_output *o, struct mx_error *err) {
	enum exact_status s =
		check_regime(b, &o->g, err) ? EXACT_BAD_SHAPE : compute(b, &o->g, b->expected);
	if (s != EXACT_OK)
		return err->text[0] ? -1 : fail(b, s, err);
	if (check_epilogue(b, o, err))
		return -1;
	mx_output_finish(o, b->expected);
	describe_basis(b, o);
	return 0;
}

static int expect(struct mx_bench *b, const struct mx_output *o, struct mx_error *err) {
	if (b->expected)
		return 0;
	if (!(b->expected = malloc((o->g.m * o->g.n + 1) * sizeof *b->expected)))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	int status = fill_expected(b, o, err);
	if (status) {
		free(b->expected);
		b->expected = NULL;
	}
	return status;
}

/* ---- products that are too large to recompute ---- */

#define NEGATIVE_ZERO 0x80000000u

enum { TILE = 16 };

static size_t least(size_t a, size_t b) {
	return a < b ? a : b;
}

static bool has_negative_zero(const uint32_t *codes, size_t n) {
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= codes[i] == NEGATIVE_ZERO;
	return any;
}

struct search {
	const struct mx_output *o;
	atomic_bool found;
};

static void search_some(void *context, size_t from, size_t to) {
	struct search *s = context;
	if (has_negative_zero(s->o->got + from, to - from))
		atomic_store(&s->found, true);
}

/* Faults that Freivalds' check accepts: -0, which it takes for 0 although no exact sum is -0, and
 * unwritten elements. Returns their number. */
static size_t wrongly_accepted(struct mx_output *o) {
	struct search s = { .o = o };
	size_t n = o->g.m * o->g.n;
	exact_parallel(o->g.threads, n, MX_OUTPUT_SOME, search_some, &s);
	if (!atomic_load(&s.found) && !o->has_unwritten)
		return 0;
	for (size_t i = 0; i < n; i++)
		o->differs[i] = o->got[i] == NEGATIVE_ZERO;
	mx_output_count(o);
	return o->wrong;
}

static void note_tiles(const struct exact_check *c, struct mx_verdict *v) {
	char list[200] = "";
	size_t n = 0;
	for (size_t i = 0; i < c->n_tiles && n + 32 < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s[%zu][%zu]", i ? ", " : "",
		                      c->tile[i].row, c->tile[i].col);
	mx_verdict_add(v, MX_WRONG_NUMBERS, "wrong-tiles",
	               "%zu rows and %zu tiles of %dx%d have wrong elements; tiles at %s%s",
	               c->wrong_rows, c->wrong_tiles, TILE, TILE, list,
	               c->wrong_tiles > c->n_tiles ? " ..." : "");
}

/* Replaces o by its first wrong tile, compared element by element. */
static int compare_tile(struct mx_bench *b, struct mx_output *o, struct exact_tile t,
                        struct mx_error *err) {
	struct mx_output part;
	if (mx_output_part(o, t.row, t.col, least(TILE, o->g.m - t.row),
	                   least(TILE, o->g.n - t.col), &part))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	enum exact_status s = compute(b, &part.g, part.want);
	mx_output_free(o);
	*o = part;
	if (s != EXACT_OK)
		return fail(b, s, err);
	mx_output_compare(o);
	return 0;
}

static int check_large(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                       struct mx_error *err) {
	struct exact_check c;
	enum exact_status s = exact_freivalds(&o->g, o->got, o->g.n, b->data_seed, TILE, &c);
	if (s != EXACT_OK) /* the reason is that of the regime, if that does not hold */
		return check_regime(b, &o->g, err) ? -1 : fail(b, s, err);
	snprintf(b->basis, sizeof b->basis,
	         "exact regime, Freivalds' check: a wrong product passes with probability below "
	         "%.1e",
	         c.missed);
	if (c.holds && !wrongly_accepted(o)) {
		o->is_same = true;
		return 0;
	}
	if (c.holds) {
		size_t row = o->first / o->g.n / TILE * TILE, col = o->first % o->g.n / TILE * TILE;
		return compare_tile(b, o, (struct exact_tile){ row, col }, err);
	}
	note_tiles(&c, v);
	return compare_tile(b, o, c.tile[0], err);
}

static bool is_large(const struct mx_bench *b, const struct mx_output *o) {
	double work = (double)o->g.m * (double)o->g.n * (double)o->g.k;
	return is_exact(b) && !strcmp(o->format, "FP32") && !o->has_epilogue && !o->flushes &&
	       work > b->most_work;
}

int mx_judge_bits(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                  struct mx_error *err) {
	err->text[0] = 0;
	if (is_large(b, o)) {
		if (check_large(b, o, v, err))
			return -1;
	} else {
		if (expect(b, o, err))
			return -1;
		if (!o->wants_expected)
			free(o->want);
		o->want = b->expected;
		o->wants_expected = true;
		mx_output_compare(o);
	}
	if (o->wrong)
		mx_output_note(o, b, "wrong-bits", v);
	snprintf(v->basis, sizeof v->basis, "%s", b->basis);
	return 0;
}
