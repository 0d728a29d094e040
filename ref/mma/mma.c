/* The scaled MFMA on registers: the plain version, and the choice of a fast one. */
#include "step.h"
#include "tile.h"
#include "../num/f32.h"

#include <string.h>

typedef uint32_t result_regs[MX_TILE_RESULTS][MX_LANES];

uint32_t mx_tile_dot(const struct mx_mma_args *g, const struct mx_tile *a, const struct mx_tile *b,
                     unsigned lane, unsigned r) {
	unsigned K = mx_shape_k(g->shape), blocks = K / MX_BLOCK, row, col;
	mx_place_result(g->shape, lane, r, &row, &col);
	return mx_dot(g->profile, g->fmt_a, g->fmt_b, K, a->elem + row * K, a->scale + row * blocks,
	              b->elem + col * K, b->scale + col * blocks, (mx_f32){ g->c[r][lane] },
	              g->clamp)
	        .v;
}

/* An operand's factors, a row of them when it is first needed. */
struct factors {
	struct mx_tile tile;
	struct mx_dot_operand operand;
	struct mx_code_terms terms;
	uint32_t decoded; /* rows */
	struct mx_term factor[MX_TILE_ELEMS];
};

static void load_side(struct factors *f, const struct mx_mma_args *g, mx_format format,
                      const uint32_t (*regs)[MX_LANES], mx_scale_format scales,
                      const uint8_t *scale) {
	unsigned block = mx_block_of(g);
	mx_tile_load(&f->tile, g->shape, format, regs, scale, block);
	f->operand = (struct mx_dot_operand){ format, NULL, scales, block, NULL };
	mx_list_terms(g->profile, format, &f->terms);
	f->decoded = 0;
}

static void load_factors(struct factors *a, struct factors *b, const struct mx_mma_args *g) {
	load_side(a, g, g->fmt_a, g->a, g->scale_format_a, g->scale_a);
	load_side(b, g, g->fmt_b, g->b, g->scale_format_b, g->scale_b);
}

static const struct mx_term *row_of(struct factors *f, unsigned K, unsigned row) {
	struct mx_term *factors = f->factor + row * K;
	if (!(f->decoded >> row & 1)) {
		f->operand.codes = f->tile.elem + row * K;
		f->operand.scales = &f->tile.scale[row * (K / f->operand.block)].v;
		mx_dot_factors(&f->terms, K, &f->operand, factors);
		f->decoded |= UINT32_C(1) << row;
	}
	return factors;
}

void mx_mma_some_plain(const struct mx_mma_args *g, const uint64_t *lanes) {
	struct factors a, b;
	unsigned K = mx_shape_k(g->shape), row, col;
	uint64_t any = 0;
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		any |= lanes[r];
	if (!any)
		return;
	load_factors(&a, &b, g);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			if (!(lanes[r] >> lane & 1))
				continue;
			mx_place_result(g->shape, lane, r, &row, &col);
			g->d[r][lane] = mx_factors_dot(g->profile, K, row_of(&a, K, row),
			                               row_of(&b, K, col),
			                               (mx_f32){ g->c[r][lane] }, g->clamp)
			                        .v;
		}
}

/* args after abs_c and neg_c; a modified C is stored in `c`. */
static struct mx_mma_args with_modifiers(const struct mx_mma_args *args, result_regs c) {
	struct mx_mma_args g = *args;
	uint32_t clear = g.abs_c ? MX_F32_SIGN : 0, flip = g.neg_c ? MX_F32_SIGN : 0;
	if (!clear && !flip)
		return g;
	for (unsigned r = 0; r < mx_results(g.shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			c[r][lane] = (g.c[r][lane] & ~clear) ^ flip;
	g.c = (const uint32_t(*)[MX_LANES])c;
	return g;
}

static mx_status check(const struct mx_mma_args *g) {
	if (!g || !g->profile || !g->a || !g->b || !g->c || !g->d || !g->scale_a || !g->scale_b)
		return MX_BAD_POINTER;
	if ((unsigned)g->fmt_a >= MX_FORMATS || (unsigned)g->fmt_b >= MX_FORMATS)
		return MX_BAD_FORMAT;
	if ((unsigned)g->shape > MX_32X32X64 || (unsigned)g->scale_format_a >= MX_SCALE_FORMATS ||
	    (unsigned)g->scale_format_b >= MX_SCALE_FORMATS ||
	    (g->block && g->block != 16 && g->block != MX_BLOCK))
		return MX_BAD_OPTION;
	return mx_profile_check(g->profile);
}

mx_status mx_mma_scaled_plain(const struct mx_mma_args *args) {
	static const uint64_t all[MX_TILE_RESULTS] = { [0 ... MX_TILE_RESULTS - 1] = UINT64_MAX };
	result_regs c;
	mx_status s = check(args);
	if (s)
		return s;
	struct mx_mma_args g = with_modifiers(args, c);
	mx_mma_some_plain(&g, all);
	return MX_OK;
}

bool mx_mma_by_alignment(const struct mx_mma_args *g) {
	unsigned row, col, MN = mx_mn(g->shape), K = mx_shape_k(g->shape);
	struct factors a, b;
	mx_tile_results c, d;
	if (!g->profile->align)
		return false;
	load_factors(&a, &b, g);
	for (unsigned i = 0; i < MN; i++) {
		row_of(&a, K, i);
		row_of(&b, K, i);
	}
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			mx_place_result(g->shape, lane, r, &row, &col);
			c[row][col] = g->c[r][lane];
		}
	mx_factors_products(&(struct mx_factors){ g->profile, MN, K, a.factor, b.factor, g->clamp },
	                    (const uint32_t(*)[MX_TILE_MN])c, d);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			mx_place_result(g->shape, lane, r, &row, &col);
			g->d[r][lane] = d[row][col];
		}
	return true;
}

static void fast(const struct mx_mma_args *g) {
	bool basic = mx_profile_is_basic(g->profile);
	bool done = (basic && (mx_mma_by_avx512(g) || mx_mma_by_floats(g))) ||
	            mx_mma_by_aligned_doubles(g) || mx_mma_by_alignment(g) ||
	            (basic && mx_mma_by_integers(g));
	if (!done)
		mx_mma_scaled_plain(g);
}

/* An overflow in any step makes the result infinite or NaN, because no later sum is finite
 * again. So clamp changes no finite result. */
static void fast_clamped(const struct mx_mma_args *g) {
	uint64_t again[MX_TILE_RESULTS] = { 0 };
	result_regs d;
	struct mx_mma_args args = *g;
	args.clamp = false;
	args.d = d;
	fast(&args);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			if (mx_f32_magnitude((mx_f32){ d[r][lane] }) >= MX_F32_INF)
				again[r] |= UINT64_C(1) << lane;
	args.clamp = true;
	mx_mma_some_plain(&args, again);
	memcpy(g->d, d, mx_results(g->shape) * sizeof *d);
}

mx_status mx_mma_scaled(const struct mx_mma_args *args) {
	result_regs c;
	mx_status s = check(args);
	if (s)
		return s;
	struct mx_mma_args g = with_modifiers(args, c);
	g.abs_c = g.neg_c = false;
	(g.clamp ? fast_clamped : fast)(&g);
	return MX_OK;
}
