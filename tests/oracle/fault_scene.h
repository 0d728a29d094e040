/* A right product on a bench, and the output of a faulty kernel instead of it. */
#ifndef FAULT_SCENE_H
#define FAULT_SCENE_H

#include "../../oracle/bench.h"
#include "../../oracle/bench_inside.h"
#include "../../oracle/exact/exact.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 80, N = 64, K = 896, BLOCKS = K / 32 };

static struct mx_device *emu;
static struct mx_error err;

/* Operands that a fault may change: rows of codes of up to a byte, blocks of scales. */
struct side {
	const char *format;
	uint8_t codes[(M + N) * K], scales[(M + N) * (BLOCKS + 8)];
	size_t rows, ld, ld_scales;
};

struct scene {
	struct mx_case *c;
	struct mx_bench *b;
	struct mx_run_result r;
	const char *output;  /* "FP32", "BF16", "FP16" */
	struct side a, x;    /* x: operand B */
	uint32_t acc[M * N]; /* the f32 products of the present a and x */
	uint32_t out[M * N]; /* codes */
	bool unwritten[M * N];
	uint32_t right[M * N];
};

static inline void take(struct side *s, const struct scene *sc, mx_role codes, mx_role scales) {
	const struct mx_plan *p = &sc->b->plan;
	const struct mx_buffer *c = mx_plan_role(p, codes), *e = mx_plan_role(p, scales);
	s->format = c->type == MX_DT_E2M1 ? "E2M1" : "E4M3";
	s->rows = c->rows;
	s->ld = c->ld;
	s->ld_scales = e->ld;
	memcpy(s->codes, sc->b->data.bytes[c - p->buffers], c->bytes);
	memcpy(s->scales, sc->b->data.bytes[e - p->buffers], e->bytes);
}

static inline struct exact_operand operand(const struct side *s) {
	return (struct exact_operand){ s->format, s->codes, s->scales, s->ld, s->ld_scales };
}

static inline struct exact_gemm gemm(const struct scene *s) {
	return (struct exact_gemm){ M, N, K, operand(&s->a), operand(&s->x) };
}

static inline uint32_t rounded(const char *format, enum exact_rounding r, uint32_t f32) {
	uint32_t code = 0;
	if (!strcmp(format, "FP32"))
		return f32;
	exact_encode(format, f32, 0, r, EXACT_OVERFLOW, 0, &code);
	return code;
}

static inline float value(const char *format, uint32_t code) {
	uint32_t u = strcmp(format, "BF16") ? code : code << 16;
	float f;
	if (!strcmp(format, "FP16"))
		exact_decode(format, code, &u);
	memcpy(&f, &u, sizeof f);
	return f;
}

/* ---- splits, for the judge of sets ---- */

static inline struct exact_gemm split(const struct scene *s, unsigned i) {
	struct exact_gemm g = gemm(s);
	size_t from = i * (size_t)s->b->plan.k_split, left = K - from;
	size_t bytes = strcmp(s->a.format, "E2M1") ? 32 : 16;
	g.a.codes += from / 32 * bytes;
	g.a.scales += from / 32;
	g.b.codes += from / 32 * bytes;
	g.b.scales += from / 32;
	g.k = left < (size_t)s->b->plan.k_split ? left : (size_t)s->b->plan.k_split;
	return g;
}

/* out += split i, by a bf16 atomic. */
static inline void add_split(struct scene *s, unsigned i) {
	struct exact_gemm g = split(s, i);
	static uint32_t part[M * N];
	need(exact_profile(&g, "block32", 128, part) == EXACT_OK, "profile");
	for (size_t e = 0; e < M * N; e++) {
		float sum = value("BF16", s->out[e]) +
		            value("BF16", rounded("BF16", EXACT_RNE, part[e]));
		uint32_t bits;
		memcpy(&bits, &sum, sizeof bits);
		s->out[e] = rounded("BF16", EXACT_RNE, bits);
	}
}

/* The output of a correct kernel for the present operands. */
static inline void compute(struct scene *s) {
	struct exact_gemm g = gemm(s);
	need(exact_profile(&g, "block32", 128, s->acc) == EXACT_OK, "profile");
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RNE, s->acc[i]);
	if (s->b->plan.c->verdict.judge != MX_JUDGE_SET)
		return;
	memset(s->out, 0, sizeof s->out);
	for (unsigned i = 0; i < s->b->plan.splits; i++)
		add_split(s, i);
}

/* Stores `out` to C, like a launch. */
static inline void store_output(struct scene *s) {
	const struct mx_buffer *c = mx_plan_role(&s->b->plan, MX_ROLE_C);
	struct bench_buffer *buffer = &s->b->buffer[c - s->b->plan.buffers];
	size_t bytes = c->type == MX_DT_F32 ? 4 : 2;
	for (size_t i = 0; i < M * N; i++) {
		size_t at = c->guard + mx_buffer_at(c, i / N, i % N);
		memcpy(buffer->after + at, &s->out[i], bytes);
		emu->emu->mark((uint8_t *)buffer->device + at, bytes,
		               s->unwritten[i] ? 0 : MX_WRITTEN);
	}
}

/* ---- the bench ---- */

/* Rows with products and sums below 2^-150: zeros with a sign. */
static bool tiny_rows, small_codes;
static inline void make_tiny(struct scene *s) {
	static const mx_role roles[] = { MX_ROLE_A_SCALE, MX_ROLE_B_SCALE };
	for (unsigned i = 0; i < 2; i++) {
		const struct mx_buffer *b = mx_plan_role(&s->b->plan, roles[i]);
		for (size_t r = 0; r < 16; r++)
			memset(s->b->data.bytes[b - s->b->plan.buffers] + r * b->ld, 0, BLOCKS);
	}
}

/* Codes of FP8 that are numbers in E4M3 and in E5M2. */
static inline void make_small(struct scene *s) {
	const struct mx_buffer *b = mx_plan_role(&s->b->plan, MX_ROLE_A);
	for (size_t i = 0; i < b->bytes; i++)
		s->b->data.bytes[b - s->b->plan.buffers][i] &= 0xbf;
}

/* The downloads of a run without its launch; `store_output` fills C. */
static inline void pretend(struct scene *s) {
	for (unsigned i = 0; i < s->b->plan.n_buffers; i++)
		memcpy(s->b->buffer[i].after, s->b->buffer[i].before, s->b->buffer[i].bytes);
	s->r = (struct mx_run_result){ .schedule = 1 };
}

static inline struct scene *scene(const char *file, mx_judge judge, mx_regime regime,
                                  mx_buffer_type output) {
	struct scene *s = calloc(1, sizeof *s);
	struct mx_plan plan;
	char kernels[400];
	const char *build = getenv("BUILD");
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	need(s && !mx_case_load(file, &s->c, &err), err.text);
	s->c->verdict.judge = judge;
	s->c->verdict.k_tile = 0; /* the computation of C here adds no instructions of zeros */
	for (unsigned i = 0; i < s->c->n_buffers; i++)
		if (s->c->buffers[i].role == MX_ROLE_C && output != MX_DT_E4M3)
			s->c->buffers[i].type = output;
	need(!mx_plan_make(s->c, M, N, K, regime, &plan, &err) &&
	             !mx_bench_make(&plan, emu, NULL, kernels, 1, &s->b, &err),
	     err.text);
	mx_buffer_type type = mx_plan_role(&s->b->plan, MX_ROLE_C)->type;
	s->output = type == MX_DT_BF16 ? "BF16" : type == MX_DT_F16 ? "FP16" : "FP32";
	pretend(s);
	if (tiny_rows)
		make_tiny(s);
	if (small_codes)
		make_small(s);
	take(&s->a, s, MX_ROLE_A, MX_ROLE_A_SCALE);
	take(&s->x, s, MX_ROLE_B, MX_ROLE_B_SCALE);
	compute(s);
	memcpy(s->right, s->out, sizeof s->right);
	return s;
}

static inline void end(struct scene *s) {
	mx_bench_free(s->b);
	mx_case_free(s->c);
	free(s);
}

static inline struct mx_verdict judge(struct scene *s) {
	struct mx_verdict v = { 0 };
	store_output(s);
	need(!mx_bench_judge(s->b, &s->r, &v, &err), err.text);
	return v;
}

#endif
