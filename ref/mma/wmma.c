/* The WMMAs on registers: each result is one dot, by the functions of the MFMAs. */
#include "wmma.h"
#include "step.h"
#include "tile.h"
#include "../num/f32.h"

#include <string.h>

enum { MAX_M = 32, MAX_K = 128, MAX_SCALES = 8, MAX_RESULTS = 16, UNIT_SCALE = 127 };
enum { INDEX_BITS = 2, SET_BITS = 16 };

/* An operand by row of A or column of B: its codes, and with an MX format its factors. */
struct operand {
	uint64_t item[MAX_M][MAX_K];
	struct mx_term factor[MAX_M][MAX_K];
};

static bool is_mx(const struct mx_wmma *op) {
	return op->ab[MX_SIDE_A] == MX_T_F8F6F4 || op->ab[MX_SIDE_A] == MX_T_FP4;
}

/* The scales of block i of 16 rows or columns: byte i of as many lanes. */
static void load_scales(uint8_t to[MX_WMMA_N], const struct mx_wmma_args *g, mx_side s,
                        unsigned half, unsigned i) {
	const struct mx_wmma_operand *o = &g->ab[s];
	unsigned lane = MX_WMMA_N * (mx_wmma_rows(g->op, s) == MX_WMMA_N ? o->scale_row : half);
	if (!g->op->block)
		memset(to, UNIT_SCALE, MX_WMMA_N);
	for (unsigned j = 0; g->op->block && j < MX_WMMA_N; j++)
		to[j] = (uint8_t)(o->scales[i / 4][lane + j] >> 8 * (i % 4));
}

static unsigned block_of(const struct mx_wmma_args *g) {
	return g->op->block ? g->op->block : MX_BLOCK;
}

static mx_scale_format scales_of(const struct mx_wmma_args *g, mx_side s) {
	return g->op->block ? g->ab[s].scale_format : MX_S_E8M0;
}

static void load_factors(struct operand *x, const struct mx_wmma_args *g, mx_side s) {
	unsigned block = block_of(g), K = g->op->k;
	mx_elem codes[MAX_K];
	struct mx_code_terms terms;
	uint8_t scale[MAX_SCALES];
	struct mx_dot_operand o = { g->ab[s].format, codes, scales_of(g, s), block, scale };
	mx_list_terms(g->profile, o.format, &terms);
	for (unsigned mn = 0; mn < mx_wmma_rows(g->op, s); mn++) {
		for (unsigned k = 0; k < K; k++)
			codes[k].v = (uint8_t)x->item[mn][k];
		for (unsigned i = 0; i < K / block; i++) {
			uint8_t of_rows[MX_WMMA_N];
			load_scales(of_rows, g, s, mn / MX_WMMA_N, i);
			scale[i] = of_rows[mn % MX_WMMA_N];
		}
		mx_dot_factors(&terms, K, &o, x->factor[mn]);
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

/* ---- the indices of a SWMMAC ---- */

/* Whether lanes have the indices of items of both halves of the wave. */
static bool shares_indices(const struct mx_wmma *op) {
	return mx_wmma_operand_vgprs(op, MX_SIDE_B, MX_E4M3) == 16;
}

static unsigned index_of(const struct mx_wmma_args *g, unsigned lane, unsigned item) {
	unsigned n = mx_wmma_operand_items(g->op, MX_SIDE_A), half = n / 2;
	unsigned bit = INDEX_BITS * item + SET_BITS * g->index_key;
	if (shares_indices(g->op)) {
		bit = INDEX_BITS * (lane / 16 * half + item % half);
		lane = lane % 16 + item / half * 16;
	}
	return g->index[bit / 32][lane] >> bit % 32 & 3;
}

static bool indices_ascend(const struct mx_wmma_args *g) {
	for (unsigned lane = 0; lane < MX_WAVE32; lane++)
		for (unsigned i = 0; i < mx_wmma_operand_items(g->op, MX_SIDE_A); i += 2)
			if (index_of(g, lane, i) >= index_of(g, lane, i + 1))
				return false;
	return true;
}

/* The k of each stored element of A, by row. */
static void load_indices(uint8_t k_of[MX_WMMA_N][MX_PRODUCTS], const struct mx_wmma_args *g) {
	unsigned row, at;
	for (unsigned lane = 0; g->op->sparse && lane < MX_WAVE32; lane++)
		for (unsigned i = 0; i < mx_wmma_operand_items(g->op, MX_SIDE_A); i++) {
			mx_place_wmma_operand(g->op, MX_SIDE_A, MX_E4M3, lane, i, &row, &at);
			k_of[row][at] = (uint8_t)(at / 2 * 4 + index_of(g, lane, i));
		}
}

/* ---- one result ---- */

static mx_type type_of(const struct mx_wmma_args *g, mx_side s) {
	mx_type t = g->op->ab[s], as = t == MX_T_I8 ? MX_T_U8 : MX_T_U4;
	return (t == MX_T_I8 || t == MX_T_I4) && g->ab[s].is_unsigned ? as : t;
}

/* The sum as f32, or as i32. k_of: of a row of a sparse A. */
static uint32_t dot(const struct mx_wmma_args *g, const struct operand ab[2], const uint8_t *k_of,
                    unsigned row, unsigned col, uint32_t c) {
	const struct mx_dense op = { .k = mx_wmma_stored(g->op, MX_SIDE_A),
		                     .a = type_of(g, MX_SIDE_A),
		                     .b = type_of(g, MX_SIDE_B),
		                     .d = g->op->d };
	uint64_t met[MAX_K];
	struct mx_dense_args dense = { .op = &op,
		                       .profile = g->profile,
		                       .clamp = g->clamp && op.d == MX_T_I32 };
	const struct operand *a = &ab[MX_SIDE_A], *b = &ab[MX_SIDE_B];
	for (unsigned k = 0; k < op.k; k++)
		met[k] = b->item[col][g->op->sparse ? k_of[k] : k];
	if (!is_mx(g->op))
		return mx_dense_dot(&dense, a->item[row], met, c);
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

/* ---- C and D of 16 bits ---- */

typedef uint32_t results[MAX_RESULTS][MX_LANES];

/* g with C and D of 32 bits and without modifiers of C; `regs` is C or D where the registers are
 * not. */
static struct mx_wmma_args widen(const struct mx_wmma_args *g, results regs) {
	struct mx_wmma_args wide = *g;
	wide.abs_c = wide.neg_c = false;
	if (mx_type_bits(g->op->d) == 16)
		wide.d = regs;
	if (mx_type_bits(g->op->c) == 32 && !g->abs_c && !g->neg_c)
		return wide;
	for (unsigned i = 0; i < mx_wmma_result_items(g->op); i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++)
			regs[i][lane] = accumulator(g, lane, i);
	wide.c = (const uint32_t(*)[MX_LANES])regs;
	return wide;
}

static void narrow(const struct mx_wmma_args *g, results regs) {
	mx_type t = g->op->d;
	if (mx_type_bits(t) == 32)
		return;
	for (unsigned r = 0; r < mx_wmma_result_vgprs(g->op); r++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++)
			g->d[r][lane] = narrowed(t, regs[2 * r][lane], g->clamp) |
			                narrowed(t, regs[2 * r + 1][lane], g->clamp) << 16;
}

/* ---- the plain version ---- */

/* The results with a bit in lanes[item], one by one. */
static void some_plain(const struct mx_wmma_args *g, const uint64_t *lanes) {
	unsigned row, col;
	struct operand ab[2];
	uint8_t k_of[MX_WMMA_N][MX_PRODUCTS];
	load(&ab[MX_SIDE_A], g, MX_SIDE_A);
	load(&ab[MX_SIDE_B], g, MX_SIDE_B);
	load_indices(k_of, g);
	for (unsigned i = 0; i < mx_wmma_result_items(g->op); i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++) {
			if (!(lanes[i] >> lane & 1))
				continue;
			mx_place_wmma_result(lane, i, &row, &col);
			g->d[i][lane] = dot(g, ab, k_of[row % MX_WMMA_N], row, col, g->c[i][lane]);
		}
}

static void all_plain(const struct mx_wmma_args *g) {
	static const uint64_t all[MAX_RESULTS] = { [0 ... MAX_RESULTS - 1] = UINT64_MAX };
	some_plain(g, all);
}

/* ---- a WMMA with K = 128 of MX formats as MFMAs of 16x16x128 ----
 *
 * Lane 16 (2 i + h) of the MFMA has what lane h of the WMMA has of the runs i and i + 2, so whole
 * registers move. The steps of a profile are those of the same k. */

struct tile {
	uint32_t ab[2][8][MX_LANES], cd[4][MX_LANES];
	uint8_t scale[2][MAX_SCALES][MX_WMMA_N];
};

static mx_format format_of(const struct mx_wmma_args *g, mx_side s) {
	mx_type t = g->op->ab[s];
	return t == MX_T_FP8 ? MX_E4M3 : t == MX_T_BF8 ? MX_E5M2 : g->ab[s].format;
}

static bool is_tile(const struct mx_wmma *op) {
	return op->k == 128 && !op->sparse;
}

static void tile_operand(struct tile *t, const struct mx_wmma_args *g, mx_side s, unsigned half) {
	const struct mx_wmma_operand *o = &g->ab[s];
	unsigned vgprs = mx_operand_vgprs(format_of(g, s)), run = vgprs == 8 ? 4 : vgprs;
	for (unsigned r = 0; r < vgprs; r++)
		for (unsigned i = 0; i < 2; i++)
			memcpy(&t->ab[s][r][MX_WAVE32 * i],
			       o->regs[2 * vgprs * half + run * (i + 2 * (r / run)) + r % run],
			       MX_WAVE32 * sizeof(uint32_t));
	for (unsigned i = 0; i < g->op->k / block_of(g); i++)
		load_scales(t->scale[s][i], g, s, half, i);
}

/* Rows 8h to 8h + 7 of lane half h, which start at `lane`, are two groups of four in the MFMA. */
static uint32_t *tile_result(struct tile *t, unsigned lane, unsigned item) {
	return &t->cd[item % 4][2 * lane + 16 * (item / 4)];
}

static void run_tile(const struct mx_wmma_args *g, unsigned half) {
	unsigned first = 8 * half, half_b = 0;
	size_t size = 16 * sizeof(uint32_t);
	struct tile t;
	tile_operand(&t, g, MX_SIDE_A, half);
	tile_operand(&t, g, MX_SIDE_B, half_b);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane += 16)
			memcpy(tile_result(&t, lane, i), &g->c[first + i][lane], size);
	mx_mma_scaled(&(struct mx_mma_args){ .profile = g->profile,
	                                     .shape = MX_16X16X128,
	                                     .fmt_a = format_of(g, MX_SIDE_A),
	                                     .fmt_b = format_of(g, MX_SIDE_B),
	                                     .a = (const uint32_t(*)[MX_LANES])t.ab[MX_SIDE_A],
	                                     .b = (const uint32_t(*)[MX_LANES])t.ab[MX_SIDE_B],
	                                     .c = (const uint32_t(*)[MX_LANES])t.cd,
	                                     .scale_a = t.scale[MX_SIDE_A][0],
	                                     .scale_b = t.scale[MX_SIDE_B][0],
	                                     .scale_format_a = scales_of(g, MX_SIDE_A),
	                                     .scale_format_b = scales_of(g, MX_SIDE_B),
	                                     .block = g->op->block,
	                                     .d = t.cd });
	for (unsigned i = 0; i < 8; i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane += 16)
			memcpy(&g->d[first + i][lane], tile_result(&t, lane, i), size);
}

/* ---- the instruction ---- */

/* For profiles that align; false if it does not apply. */
static bool by_alignment(const struct mx_wmma_args *g) {
	unsigned K = g->op->k, row, col;
	struct operand ab[2];
	struct mx_term factor[2][MX_TILE_ELEMS];
	struct mx_factors x = { g->profile, MX_WMMA_N, K, factor[0], factor[1], false };
	mx_tile_results c, d;
	if (!g->profile->align || g->op->d == MX_T_I32 || g->op->ab[MX_SIDE_A] == MX_T_F32 ||
	    g->op->sparse)
		return false;
	for (mx_side s = MX_SIDE_A; s <= MX_SIDE_B; s++) {
		load(&ab[s], g, s);
		for (unsigned i = 0; i < MX_WMMA_N; i++)
			mx_dense_factors(g->profile, g->op->ab[s], K, ab[s].item[i],
			                 factor[s] + i * K);
	}
	for (unsigned i = 0; i < mx_wmma_result_items(g->op); i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++) {
			mx_place_wmma_result(lane, i, &row, &col);
			c[row][col] = g->c[i][lane];
		}
	mx_factors_products(&x, (const uint32_t(*)[MX_TILE_MN])c, d);
	for (unsigned i = 0; i < mx_wmma_result_items(g->op); i++)
		for (unsigned lane = 0; lane < MX_WAVE32; lane++) {
			mx_place_wmma_result(lane, i, &row, &col);
			g->d[i][lane] = d[row][col];
		}
	return true;
}

static void run_dense(const struct mx_wmma_args *g) {
	const struct mx_wmma *op = g->op;
	const struct mx_dense dense = { .m = op->m,
		                        .k = mx_wmma_stored(op, MX_SIDE_A),
		                        .blocks = 1,
		                        .a = type_of(g, MX_SIDE_A),
		                        .b = type_of(g, MX_SIDE_B),
		                        .d = op->d };
	unsigned bits = mx_type_bits(op->ab[MX_SIDE_A]);
	uint8_t k_of[MX_WMMA_N][MX_PRODUCTS];
	struct mx_products products = { .op = &dense,
		                        .profile = g->profile,
		                        .a = g->ab[MX_SIDE_A].regs,
		                        .b = g->ab[MX_SIDE_B].regs,
		                        .c = g->c,
		                        .d = g->d,
		                        .clamp = g->clamp && op->d == MX_T_I32,
		                        .lanes = MX_WAVE32,
		                        .run_a = mx_wmma_run(op, MX_SIDE_A, bits),
		                        .run_b = mx_wmma_run(op, MX_SIDE_B, bits),
		                        .k_of_b = op->sparse ? k_of : NULL };
	uint64_t again[MX_DENSE_RESULTS] = { 0 }, any = 0;
	bool done = mx_products_by_aligned_doubles(&products, again);
	if (!done && by_alignment(g))
		return;
	load_indices(k_of, g);
	if (!done && !(mx_profile_is_basic(g->profile) && mx_mma_by_doubles(&products, again))) {
		all_plain(g);
		return;
	}
	for (unsigned i = 0; i < MAX_RESULTS; i++)
		any |= again[i];
	if (any)
		some_plain(g, again);
}

static void run(const void *args) {
	const struct mx_wmma_args *g = args;
	results regs;
	struct mx_wmma_args wide = widen(g, regs);
	if (!is_tile(g->op))
		run_dense(&wide);
	for (unsigned half = 0; is_tile(g->op) && half < g->op->m / 16; half++)
		run_tile(&wide, half);
	narrow(g, regs);
}

static void run_plain(const void *args) {
	const struct mx_wmma_args *g = args;
	results regs;
	struct mx_wmma_args wide = widen(g, regs);
	all_plain(&wide);
	narrow(g, regs);
}

static mx_status check_indices(const struct mx_wmma_args *g) {
	bool one_set = INDEX_BITS * mx_wmma_operand_items(g->op, MX_SIDE_A) > SET_BITS;
	if (!g->index)
		return MX_BAD_POINTER;
	if (g->index_key > !one_set || !indices_ascend(g))
		return MX_BAD_OPTION;
	return mx_profile_check(g->profile);
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
	return g->op->sparse ? check_indices(g)
	                     : mx_check_profile_for(g->op->ab[MX_SIDE_A], g->profile);
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
