/* The WMMAs on registers: each result is one dot, by the functions of the MFMAs. */
#include "wmma.h"
#include "step.h"
#include "../num/f32.h"

#include <string.h>

enum { MAX_M = 32, MAX_K = 128, MAX_SCALES = 8, MAX_RESULTS = 16, UNIT_SCALE = 127 };

/* An operand by row of A or column of B: its codes, and with an MX format its factors. */
struct operand {
	uint64_t item[MAX_M][MAX_K];
	struct mx_term factor[MAX_M][MAX_K];
};

static bool is_mx(const struct mx_wmma *op) {
	return op->ab[MX_SIDE_A] == MX_T_F8F6F4 || op->ab[MX_SIDE_A] == MX_T_FP4;
}

/* The scale of block i of a row or column is byte i of one lane. */
static uint8_t scale_of(const struct mx_wmma_args *g, mx_side s, unsigned mn, unsigned i) {
	const struct mx_wmma_operand *o = &g->ab[s];
	unsigned lane = mx_wmma_rows(g->op, s) == 16 ? mn + 16 * o->scale_row : mn;
	return g->op->block ? mx_get_item(o->scales, 8, lane, i) : UNIT_SCALE;
}

static void load_factors(struct operand *x, const struct mx_wmma_args *g, mx_side s) {
	unsigned block = g->op->block ? g->op->block : MX_BLOCK, K = g->op->k;
	mx_scale_format scales = g->op->block ? g->ab[s].scale_format : MX_S_E8M0;
	mx_elem codes[MAX_K];
	uint8_t scale[MAX_SCALES];
	struct mx_dot_operand o = { g->ab[s].format, codes, scales, block, scale };
	for (unsigned mn = 0; mn < mx_wmma_rows(g->op, s); mn++) {
		for (unsigned k = 0; k < K; k++)
			codes[k].v = (uint8_t)x->item[mn][k];
		for (unsigned i = 0; i < K / block; i++)
			scale[i] = scale_of(g, s, mn, i);
		mx_dot_factors(g->profile, K, &o, x->factor[mn]);
	}
}

static void load(struct operand *x, const struct mx_wmma_args *g, mx_side s) {
	const struct mx_wmma_operand *o = &g->ab[s];
	unsigned bits = mx_wmma_bits(g->op, s, o->format), mn, k;
	for (unsigned lane = 0; lane < MX_WAVE32; lane++)
		for (unsigned i = 0; i < mx_wmma_operand_items(g->op, s); i++) {
			mx_place_wmma_operand(g->op, s, o->format, lane, i, &mn, &k);
			x->item[mn][k] = mx_get_item(o->regs, bits, lane, i);
		}
	if (is_mx(g->op))
		load_factors(x, g, s);
}

/* ---- one result ---- */

static mx_type type_of(const struct mx_wmma_args *g, mx_side s) {
	mx_type t = g->op->ab[s];
	return t == MX_T_I8 && g->ab[s].is_unsigned ? MX_T_U8 : t;
}

/* The sum as f32, or as i32. */
static uint32_t dot(const struct mx_wmma_args *g, const struct operand ab[2], unsigned row,
                    unsigned col, uint32_t c) {
	const struct mx_dense op = {
		.k = g->op->k, .a = type_of(g, MX_SIDE_A), .b = type_of(g, MX_SIDE_B), .d = g->op->d
	};
	struct mx_dense_args dense = { .op = &op,
		                       .profile = g->profile,
		                       .clamp = g->clamp && op.d == MX_T_I32 };
	const struct operand *a = &ab[MX_SIDE_A], *b = &ab[MX_SIDE_B];
	if (!is_mx(g->op))
		return mx_dense_dot(&dense, a->item[row], b->item[col], c);
	return mx_factors_dot(g->profile, g->op->k, a->factor[row], b->factor[col], (mx_f32){ c },
	                      false)
	        .v;
}

static uint32_t widened(mx_type t, uint32_t c) {
	return t == MX_T_F16    ? mx_f16_to_f32((mx_f16){ c }).v
	       : t == MX_T_BF16 ? mx_bf16_to_f32((mx_bf16){ c }).v
	                        : c;
}

/* Infinities stay under clamp. */
static uint32_t narrowed(mx_type t, uint32_t d, bool clamp) {
	mx_f32 x = { d };
	bool saturate = clamp && mx_f32_magnitude(x) != MX_F32_INF;
	mx_overflow o = saturate ? MX_SATURATE : MX_OVERFLOW;
	return t == MX_T_F16    ? mx_f16_encode(x, MX_RNE, o, 0).v
	       : t == MX_T_BF16 ? mx_bf16_encode(x, MX_RNE, o, 0).v
	                        : d;
}

static uint32_t accumulator(const struct mx_wmma_args *g, unsigned lane, unsigned item) {
	unsigned bits = mx_type_bits(g->op->c);
	uint32_t sign = UINT32_C(1) << (bits - 1), c = mx_get_item(g->c, bits, lane, item);
	return widened(g->op->c, (g->abs_c ? c & ~sign : c) ^ (g->neg_c ? sign : 0));
}

/* ---- the instruction ---- */

static void run_plain(const void *args) {
	const struct mx_wmma_args *g = args;
	unsigned bits = mx_type_bits(g->op->d), row, col;
	uint32_t d[MAX_RESULTS][MX_WAVE32] = { 0 };
	struct operand ab[2];
	load(&ab[MX_SIDE_A], g, MX_SIDE_A);
	load(&ab[MX_SIDE_B], g, MX_SIDE_B);
	for (unsigned lane = 0; lane < MX_WAVE32; lane++)
		for (unsigned i = 0; i < mx_wmma_result_items(g->op); i++) {
			mx_wmma_result(g->op, lane, i, &row, &col);
			uint32_t x = dot(g, ab, row, col, accumulator(g, lane, i));
			d[bits * i / 32][lane] |= narrowed(g->op->d, x, g->clamp) << bits * i % 32;
		}
	for (unsigned r = 0; r < mx_wmma_result_vgprs(g->op); r++)
		memcpy(g->d[r], d[r], sizeof d[r]);
}

/* ---- a scaled WMMA as MFMAs of 16x16x128 ----
 *
 * Lane 16 (2 i + h) of the MFMA has what lane h of the WMMA has of the runs i and i + 2, so whole
 * registers move. The steps of a profile are those of the same k. */

struct tile {
	uint32_t a[8][MX_LANES], b[8][MX_LANES], cd[4][MX_LANES];
	uint8_t scale_a[MX_LANES], scale_b[MX_LANES];
};

static void tile_operand(uint32_t (*to)[MX_LANES], const struct mx_wmma_args *g, mx_side s,
                         unsigned half) {
	const struct mx_wmma_operand *o = &g->ab[s];
	unsigned vgprs = mx_operand_vgprs(o->format), run = vgprs == 8 ? 4 : vgprs;
	for (unsigned r = 0; r < vgprs; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			to[r][lane] = o->regs[2 * vgprs * half + run * (lane / 32 + 2 * (r / run)) +
			                      r % run][lane % 32];
}

static void tile_scales(uint8_t to[MX_LANES], const struct mx_wmma_args *g, mx_side s,
                        unsigned half) {
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		to[lane] = scale_of(g, s, 16 * half + lane % 16, lane / 16);
}

/* Rows 8h to 8h + 7 of lane half h are two groups of four in the MFMA. */
static uint32_t *tile_result(struct tile *t, unsigned lane, unsigned item) {
	return &t->cd[item % 4][lane % 16 + 16 * (2 * (lane / 16) + item / 4)];
}

static void run_tile(const struct mx_wmma_args *g, unsigned half) {
	unsigned half_b = 0, first = 8 * half;
	struct tile t;
	tile_operand(t.a, g, MX_SIDE_A, half);
	tile_operand(t.b, g, MX_SIDE_B, half_b);
	tile_scales(t.scale_a, g, MX_SIDE_A, half);
	tile_scales(t.scale_b, g, MX_SIDE_B, half_b);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++)
			*tile_result(&t, lane, i) = g->c[first + i][lane];
	mx_mma_scaled(&(struct mx_mma_args){ .profile = g->profile,
	                                     .shape = MX_16X16X128,
	                                     .fmt_a = g->ab[MX_SIDE_A].format,
	                                     .fmt_b = g->ab[MX_SIDE_B].format,
	                                     .a = (const uint32_t(*)[MX_LANES])t.a,
	                                     .b = (const uint32_t(*)[MX_LANES])t.b,
	                                     .c = (const uint32_t(*)[MX_LANES])t.cd,
	                                     .scale_a = t.scale_a,
	                                     .scale_b = t.scale_b,
	                                     .d = t.cd,
	                                     .abs_c = g->abs_c,
	                                     .neg_c = g->neg_c });
	for (unsigned i = 0; i < 8; i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++)
			g->d[first + i][lane] = *tile_result(&t, lane, i);
}

static bool is_e8m0(const struct mx_wmma_args *g) {
	return !g->op->block || (g->op->block == MX_BLOCK && !g->ab[MX_SIDE_A].scale_format &&
	                         !g->ab[MX_SIDE_B].scale_format);
}

static void run(const void *args) {
	const struct mx_wmma_args *g = args;
	if (!is_mx(g->op) || !is_e8m0(g)) {
		run_plain(g);
		return;
	}
	for (unsigned half = 0; half < g->op->m / 16; half++)
		run_tile(g, half);
}

static mx_status check(const struct mx_wmma_args *g) {
	if (!g || !g->op || !g->profile || !g->c || !g->d)
		return MX_BAD_POINTER;
	for (mx_side s = MX_SIDE_A; s <= MX_SIDE_B; s++) {
		const struct mx_wmma_operand *o = &g->ab[s];
		if (!o->regs || (g->op->block && !o->scales))
			return MX_BAD_POINTER;
		if (!mx_wmma_operand_vgprs(g->op, s, o->format))
			return MX_BAD_FORMAT;
		if (g->op->block &&
		    ((unsigned)o->scale_format >= MX_SCALE_FORMATS || o->scale_row > 1))
			return MX_BAD_OPTION;
	}
	return mx_profile_check(g->profile);
}

mx_status mx_mma_wmma(const struct mx_wmma_args *args) {
	mx_status status = check(args);
	if (!status)
		mx_in_default_environment(run, args);
	return status;
}

mx_status mx_mma_wmma_plain(const struct mx_wmma_args *args) {
	mx_status status = check(args);
	if (!status)
		mx_in_default_environment(run_plain, args);
	return status;
}

const mx_profile *mx_wmma_profile(const struct mx_wmma *op, const mx_profile *p) {
	return op ? mx_dense_profile(&(struct mx_dense){ .a = op->ab[MX_SIDE_A] }, p) : NULL;
}
