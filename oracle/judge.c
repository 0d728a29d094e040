/* Judging a run: outputs bit for bit, guards, inputs, and what the device saw. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_inside.h"
#include "exact/exact.h"
#include "metrics.h"

/* ---- what must come out ---- */

static const uint8_t *role_bytes(const struct mx_bench *b, mx_role role) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].role == role)
			return b->data.bytes[i];
	return NULL;
}

/* The oracle's own names for the formats; MX_DT_E4M3 ... are in this order. */
static const char *format_name(mx_buffer_type t) {
	switch (t) {
	case MX_DT_E4M3: return "E4M3";
	case MX_DT_E5M2: return "E5M2";
	case MX_DT_E2M3: return "E2M3";
	case MX_DT_E3M2: return "E3M2";
	case MX_DT_E2M1: return "E2M1";
	default: return "";
	}
}

static struct exact_operand operand(const struct mx_bench *b, mx_role role, mx_role scale) {
	const struct mx_buffer *x = mx_plan_role(&b->plan, role),
			       *s = mx_plan_role(&b->plan, scale);
	return (struct exact_operand){ format_name(x->type), role_bytes(b, role),
		                       role_bytes(b, scale), x->ld, s->ld };
}

static unsigned threads = 1;

void mx_judge_threads(unsigned n) {
	threads = n;
	exact_blas_threads(n);
}

static struct exact_gemm product_of(const struct mx_bench *b) {
	return (struct exact_gemm){ (size_t)b->plan.M,
		                    (size_t)b->plan.N,
		                    (size_t)b->plan.K,
		                    operand(b, MX_ROLE_A, MX_ROLE_A_SCALE),
		                    operand(b, MX_ROLE_B, MX_ROLE_B_SCALE),
		                    threads };
}

/* In the exact regime the one right answer; outside it, the profile's. */
static int expect(struct mx_bench *b, const struct exact_gemm *g, struct mx_error *err) {
	const struct mx_verdict_spec *v = &b->plan.c->verdict;
	bool exact = b->plan.regime == MX_REGIME_EXACT;
	char why[256] = "";
	enum exact_status s = exact ? exact_regime(g, &exact, why, sizeof why) : EXACT_OK;
	if (s == EXACT_OK && b->plan.regime == MX_REGIME_EXACT && !exact)
		return mx_fail(err, "%s: data are not in the exact regime: %s", b->plan.name, why);
	if (s == EXACT_OK)
		s = exact ? exact_product(g, b->expected)
		          : exact_profile(g, v->profile, v->mma_k, b->expected);
	if (s != EXACT_OK)
		return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(s));
	if (exact)
		snprintf(b->basis, sizeof b->basis,
		         "exact regime: any order of K, any profile of 24 bits or more");
	else
		snprintf(
			b->basis, sizeof b->basis,
			"profile %s (assumed), K in order by %u, one accumulator; NaN payload free",
			v->profile, v->mma_k);
	return 0;
}

static double *dequantised_product(const struct exact_gemm *g) {
	double *a = malloc(g->m * g->k * sizeof *a), *x = malloc(g->n * g->k * sizeof *x);
	double *d = malloc(g->m * g->n * sizeof *d);
	if (a && x && d && exact_dequantise(&g->a, g->m, g->k, a) == EXACT_OK &&
	    exact_dequantise(&g->b, g->n, g->k, x) == EXACT_OK)
		exact_dgemm_nt(g->m, g->n, g->k, a, x, d);
	free(a);
	free(x);
	return d;
}

static double *unquantised_product(const struct mx_bench *b, const struct exact_gemm *g) {
	double *a = malloc(g->m * g->k * sizeof *a), *x = malloc(g->n * g->k * sizeof *x);
	double *d = malloc(g->m * g->n * sizeof *d);
	for (size_t i = 0; a && i < g->m * g->k; i++)
		a[i] = (double)b->data.a[i];
	for (size_t i = 0; x && i < g->n * g->k; i++)
		x[i] = (double)b->data.b[i];
	if (a && x && d)
		exact_dgemm_nt(g->m, g->n, g->k, a, x, d);
	free(a);
	free(x);
	return d;
}

static int prepare(struct mx_bench *b, const struct mx_buffer *c, struct mx_error *err) {
	struct exact_gemm g = product_of(b);
	size_t n = g.m * g.n;
	if (b->expected)
		return 0;
	b->expected = malloc((n + 1) * sizeof *b->expected);
	if (!b->expected)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	if (expect(b, &g, err))
		return -1;
	for (size_t i = 0; c->type == MX_DT_BF16 && i < n; i++)
		b->expected[i] = exact_bf16(b->expected[i]);
	if (c->type == MX_DT_BF16)
		strncat(b->basis, "; f32, then bf16", sizeof b->basis - strlen(b->basis) - 1);
	b->dequantised = dequantised_product(&g);
	b->unquantised = b->data.a ? unquantised_product(b, &g) : NULL;
	if (!b->dequantised || (b->data.a && !b->unquantised))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	return 0;
}

/* ---- outputs ---- */

static uint32_t element(const struct mx_buffer *c, const uint8_t *data, size_t row, size_t col) {
	uint32_t v = 0;
	unsigned bytes = c->type == MX_DT_BF16 ? 2 : 4;
	memcpy(&v, data + mx_buffer_at(c, row, col), bytes);
	return v;
}

static uint32_t widened(const struct mx_buffer *c, uint32_t v) {
	return c->type == MX_DT_BF16 ? v << 16 : v;
}

static double value(const struct mx_buffer *c, uint32_t v) {
	uint32_t u = widened(c, v);
	float f;
	memcpy(&f, &u, 4);
	return (double)f;
}

/* NaN is NaN: its payload is not documented. Otherwise every bit counts, -0 too. */
static bool same(const struct mx_buffer *c, uint32_t got, uint32_t want) {
	bool nan = (widened(c, got) & 0x7fffffff) > 0x7f800000;
	return got == want || (nan && (widened(c, want) & 0x7fffffff) > 0x7f800000);
}

/* Where the first thing wrong is: other places are not kept. */
static void note_place(struct mx_verdict *v, const struct mx_bench *b, const struct mx_buffer *s,
                       long long offset) {
	if (v->placed)
		return;
	v->placed = true;
	v->buffer = (unsigned)(s - b->plan.buffers);
	v->offset = offset;
}

static void report_wrong(const struct mx_buffer *c, const struct mx_bench *b, const uint8_t *data,
                         size_t i, size_t wrong, struct mx_verdict *v) {
	size_t row = i / c->cols, col = i % c->cols;
	uint32_t got = element(c, data, row, col), want = b->expected[i];
	int digits = c->type == MX_DT_BF16 ? 4 : 8;
	note_place(v, b, c, (long long)mx_buffer_at(c, row, col));
	bool poison = got == (c->type == MX_DT_BF16 ? 0xffffu : 0xffffffffu);
	mx_verdict_add(v, MX_WRONG_NUMBERS, poison ? "not-written" : "wrong-bits",
	               "%s[%zu][%zu] is 0x%0*" PRIx32 " (%.9g), must be 0x%0*" PRIx32
	               " (%.9g); %zu of %zu elements are wrong",
	               c->name, row, col, digits, got, value(c, got), digits, want, value(c, want),
	               wrong, c->rows * c->cols);
}

static int judge_output(struct mx_bench *b, const struct mx_buffer *c, const uint8_t *data,
                        struct mx_verdict *v, struct mx_error *err) {
	size_t n = c->rows * c->cols, wrong = 0, first = 0;
	if (prepare(b, c, err))
		return -1;
	double *out = malloc((n + 1) * sizeof *out);
	if (!out)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	for (size_t i = 0; i < n; i++) {
		uint32_t got = element(c, data, i / c->cols, i % c->cols);
		out[i] = value(c, got);
		if (!same(c, got, b->expected[i]) && wrong++ == 0)
			first = i;
	}
	if (wrong)
		report_wrong(c, b, data, first, wrong, v);
	v->checked = n;
	v->wrong = wrong;
	v->snr_dequantised = mx_snr(n, b->dequantised, out);
	v->snr_unquantised = b->unquantised ? mx_snr(n, b->unquantised, out) : NAN;
	snprintf(v->basis, sizeof v->basis, "%s", b->basis);
	free(out);
	return 0;
}

/* ---- buffers that a file tells ---- */

/* Byte for byte: of a .npy file nobody knows which NaN would do as well. */
static int judge_file(struct mx_bench *b, unsigned i, const char *file, struct mx_verdict *v,
                      struct mx_error *err) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const uint8_t *got = b->buffer[i].after + s->guard;
	uint8_t *want = malloc(s->bytes + 1);
	size_t wrong = 0, first = 0;
	if (!want)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	memcpy(want, got, s->bytes);
	int status = mx_data_read(&b->plan, i, file, want, err);
	for (size_t at = 0; !status && at < s->bytes; at++)
		if (got[at] != want[at] && wrong++ == 0)
			first = at;
	if (wrong) {
		note_place(v, b, s, (long long)first);
		mx_verdict_add(v, MX_WRONG_NUMBERS, "wrong-bytes",
		               "%s: byte %zu (line %zu, byte %zu of it) is 0x%02x, must be 0x%02x; "
		               "%zu of %zu bytes are wrong",
		               s->name, first, first / s->ld, first % s->ld, got[first],
		               want[first], wrong, s->lines * s->line_bytes);
	}
	v->checked += s->lines * s->line_bytes;
	v->wrong += wrong;
	free(want);
	return status;
}

static int judge_expected(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	snprintf(v->basis, sizeof v->basis, "bytes of the files that the case expects");
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.c->buffers[i].expect &&
		    judge_file(b, i, b->plan.c->buffers[i].expect, v, err))
			return -1;
	return 0;
}

/* ---- everything else ---- */

static void report_change(const struct mx_bench *b, const struct mx_buffer *s, size_t at,
                          mx_severity severity, const char *kind, const char *where,
                          struct mx_verdict *v) {
	long long offset = (long long)at - (long long)s->guard;
	note_place(v, b, s, offset);
	mx_verdict_add(v, severity, kind,
	               "%s of buffer %s changed, first at byte %lld of its %zu (row %lld)", where,
	               s->name, offset, s->bytes, mx_buffer_line(s, offset));
}

/* The first byte in [from, to) that the run changed, or `to`. */
static size_t changed(const struct bench_buffer *b, size_t from, size_t to) {
	while (from < to && b->before[from] == b->after[from])
		from++;
	return from;
}

static void judge_guards(const struct mx_bench *bench, unsigned i, struct mx_verdict *v) {
	const struct mx_buffer *s = &bench->plan.buffers[i];
	const struct bench_buffer *b = &bench->buffer[i];
	size_t end = s->guard + s->bytes, at;
	if ((at = changed(b, 0, s->guard)) < s->guard)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed",
		              "guard before the start", v);
	if ((at = changed(b, end, b->bytes)) < b->bytes)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed", "guard past the end",
		              v);
	for (size_t r = 0, from, to; r < s->lines; r++)
		if (mx_buffer_padding(s, r, &from, &to) &&
		    (at = changed(b, s->guard + from, s->guard + to)) < s->guard + to) {
			report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed",
			              "padding of a line", v);
			break;
		}
	bool may_change = s->role == MX_ROLE_C || s->role == MX_ROLE_NONE;
	if (!may_change && (at = changed(b, s->guard, end)) < end)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "input-changed", "an input byte", v);
}

static mx_severity severity_of(mx_finding_kind k) {
	switch (k) {
	case MX_BOUNDS_READ:
	case MX_BOUNDS_WRITE: return MX_WRONG_NUMBERS;
	case MX_UNWRITTEN:
	case MX_RACE_LDS:
	case MX_RACE_REGISTER:
	case MX_RACE_GLOBAL:
	case MX_AMBIGUOUS:
	case MX_WAIT_STATES: return MX_WRONG_ORDER;
	case MX_WAIT_STATES_NOTE: return MX_NOT_WRONG;
	default: return MX_WRONG_DEVICE;
	}
}

void mx_bench_device_findings(const struct mx_bench *b, struct mx_verdict *v) {
	if (!b->device->emu)
		return;
	const struct mx_report *r = b->device->emu->report();
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct mx_finding *f = &r->findings[i];
		char lane[24] = "";
		if (f->lane >= 0)
			snprintf(lane, sizeof lane, " lane %d", f->lane);
		mx_verdict_add(v, severity_of(f->kind), b->device->emu->finding_name(f->kind),
		               "%s; workgroup %u,%u,%u wave %u%s%s", f->text, f->workgroup[0],
		               f->workgroup[1], f->workgroup[2], f->wave, lane,
		               f->count > 1 ? ", and again" : "");
	}
}

int mx_bench_judge(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                   struct mx_error *err) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	mx_bench_device_findings(b, v);
	if (b->device->emu)
		snprintf(v->order, sizeof v->order, "%s", b->device->emu->report()->order);
	if (r->failed) {
		if (mx_verdict_status(v) != MX_WRONG_DEVICE)
			mx_verdict_add(v, MX_WRONG_DEVICE, "fault", "%s", r->failure);
		return 0;
	}
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		judge_guards(b, i, v);
	v->snr_dequantised = v->snr_unquantised = NAN;
	if (b->plan.c->verdict.judge == MX_JUDGE_NONE)
		snprintf(v->basis, sizeof v->basis, "no verdict on numbers");
	if (b->plan.c->verdict.judge == MX_JUDGE_EXPECT)
		return judge_expected(b, v, err);
	if (b->plan.c->verdict.judge != MX_JUDGE_BITS)
		return 0;
	if (b->plan.groups.n)
		return mx_judge_groups(b, v, err);
	if (!c || !mx_plan_role(&b->plan, MX_ROLE_A) || !mx_plan_role(&b->plan, MX_ROLE_B))
		return mx_fail(err, "%s: judge bits needs buffers of the roles a, b and c",
		               b->plan.c->path);
	return judge_output(b, c, b->buffer[c - b->plan.buffers].after + c->guard, v, err);
}
