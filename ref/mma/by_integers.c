/* The scaled MFMA with each block's dot as one integer, for all formats and for
 * profiles that round at the ends of blocks.
 *
 * Elements are integers in units of their format's smallest subnormal, below
 * 2^32 (E5M2), so a block's dot is below 2^69. mx_dot computes outputs with a NaN,
 * an infinity, or an accumulator of -0 and a zero sum. */
#include "step.h"
#include "tile.h"
#include "../num/f32.h"

#include <string.h>

struct numbers {
	struct mx_tile tile;
	int64_t value[MX_TILE_ELEMS];
	bool special[MX_TILE_MN]; /* the row or column has a NaN or an infinity */
	int unit;                 /* log2 */
};

static void load(struct numbers *x, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                 const uint8_t *scale) {
	unsigned K = mx_shape_k(s), blocks = K / MX_BLOCK;
	mx_tile_load(&x->tile, s, f, regs, scale, MX_BLOCK);
	x->unit = mx_unit(f);
	memset(x->special, 0, sizeof x->special);
	for (unsigned i = 0; i < MX_TILE_ELEMS; i++) {
		struct mx_unpacked u = mx_elem_unpack(f, x->tile.elem[i]);
		int64_t magnitude = u.kind == MX_NUMBER ? (int64_t)u.sig << (u.exp - x->unit) : 0;
		x->value[i] = u.negative ? -magnitude : magnitude;
		x->special[i / K] |= u.kind != MX_NUMBER;
	}
	for (unsigned i = 0; i < MX_LANES; i++)
		x->special[i / blocks] |= x->tile.scale[i].v == 0xFF;
}

static __int128 block_dot(const int64_t *a, const int64_t *b) {
	__int128 sum = 0;
	for (unsigned k = 0; k < MX_BLOCK; k++)
		sum += (__int128)a[k] * b[k];
	return sum;
}

/* c += a group of blocks; false if the result may be special or -0. */
static bool add_group(const struct numbers *a, unsigned block_a, const struct numbers *b,
                      unsigned block_b, unsigned blocks, mx_f32 *c) {
	struct mx_wide sum = { 0 };
	if (mx_f32_magnitude(*c) >= MX_F32_INF)
		return false;
	for (unsigned i = 0; i < blocks; i++) {
		int scale = a->tile.scale[block_a + i].v + b->tile.scale[block_b + i].v - 2 * 127;
		mx_wide_add(&sum,
		            block_dot(a->value + (block_a + i) * MX_BLOCK,
		                      b->value + (block_b + i) * MX_BLOCK),
		            a->unit + b->unit + scale);
	}
	int64_t sig = mx_f32_sig(*c);
	bool negative = c->v & MX_F32_SIGN;
	mx_wide_add(&sum, negative ? -sig : sig, mx_f32_exp(*c));
	if (negative && !sig && mx_wide_is_zero(&sum))
		return false;
	*c = mx_wide_round(&sum);
	return true;
}

static uint32_t result(const struct mx_mma_args *g, const struct numbers *a,
                       const struct numbers *b, unsigned lane, unsigned r) {
	unsigned blocks = mx_shape_k(g->shape) / MX_BLOCK, row, col;
	unsigned group = g->profile->group ? g->profile->group / MX_BLOCK : blocks;
	mx_f32 acc = { g->c[r][lane] };
	mx_place_result(g->shape, lane, r, &row, &col);
	bool plain = a->special[row] || b->special[col];
	for (unsigned i = 0; i < blocks && !plain; i += group) {
		unsigned n = blocks - i < group ? blocks - i : group;
		plain = !add_group(a, row * blocks + i, b, col * blocks + i, n, &acc);
	}
	return plain ? mx_tile_dot(g, &a->tile, &b->tile, lane, r) : acc.v;
}

void mx_mma_some_by_integers(const struct mx_mma_args *g, const uint64_t *lanes) {
	struct numbers a, b;
	load(&a, g->shape, g->fmt_a, g->a, g->scale_a);
	load(&b, g->shape, g->fmt_b, g->b, g->scale_b);
	for (unsigned r = 0; r < mx_results(g->shape); r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			if (lanes[r] >> lane & 1)
				g->d[r][lane] = result(g, &a, &b, lane, r);
}

bool mx_mma_by_integers(const struct mx_mma_args *g) {
	static const uint64_t all[MX_TILE_RESULTS] = { [0 ... MX_TILE_RESULTS - 1] = UINT64_MAX };
	if (g->profile->align || g->profile->group % MX_BLOCK || !mx_scales_are_e8m0(g))
		return false;
	mx_mma_some_by_integers(g, all);
	return true;
}
