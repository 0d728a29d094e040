/* A tile: one operand of an instruction in matrix order. */
#ifndef MX_TILE_H
#define MX_TILE_H

#include "layout.h"

enum {
	MX_TILE_ELEMS = 2048, /* MN * K of either shape */
	MX_TILE_MN = 32,      /* the larger MN */
	MX_TILE_BLOCKS = 8,   /* of 16 in the larger K */
	MX_TILE_RESULTS = 16, /* registers of the larger result */
	MX_SCALES = 128,      /* of an operand in blocks of 16 */
};

struct mx_tile {
	mx_elem elem[MX_TILE_ELEMS]; /* [row of A or column of B][k] */
	mx_e8m0 scale[MX_SCALES];    /* [row or column][block] */
};

static inline unsigned mx_block_of(const struct mx_mma_args *g) {
	return g->block ? g->block : MX_BLOCK;
}

/* Whether the scales are those of gfx950. */
static inline bool mx_scales_are_e8m0(const struct mx_mma_args *g) {
	return !g->scale_format_a && !g->scale_format_b && mx_block_of(g) == MX_BLOCK;
}

void mx_tile_load(struct mx_tile *t, mx_shape s, mx_format f, const uint32_t (*regs)[MX_LANES],
                  const uint8_t *scale, unsigned block);

/* One element of the result by mx_dot. */
uint32_t mx_tile_dot(const struct mx_mma_args *g, const struct mx_tile *a, const struct mx_tile *b,
                     unsigned lane, unsigned r);

/* log2 of a format's smallest subnormal; bits of its largest magnitude in units of it. */
static inline int mx_unit(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	return 1 - t->bias - t->man_bits;
}
static inline unsigned mx_width(mx_format f) {
	const struct mx_format_info *t = mx_format_info(f);
	return t->man_bits + (1u << t->exp_bits) - 1 - (t->specials == MX_IEEE);
}

/* Registers of the result. */
static inline unsigned mx_results(mx_shape s) {
	return mx_mn(s) * mx_mn(s) / MX_LANES;
}

/* Fast implementations; mma.c chooses one. Each returns false and writes nothing if it does
 * not apply. They ignore abs_c, neg_c and clamp. */
bool mx_mma_by_avx512(const struct mx_mma_args *args);
bool mx_mma_by_words(const struct mx_mma_args *args); /* of by_avx512, for CPUs that it is for */
bool mx_mma_by_floats(const struct mx_mma_args *args);
bool mx_mma_by_aligned_doubles(const struct mx_mma_args *args);
bool mx_mma_by_alignment(const struct mx_mma_args *args);
bool mx_mma_by_integers(const struct mx_mma_args *args);

/* By integers, only the results of lanes with a bit in lanes[register]. */
void mx_mma_some_by_integers(const struct mx_mma_args *args, const uint64_t *lanes);

/* The same by mx_dot; args->clamp applies. */
void mx_mma_some_plain(const struct mx_mma_args *args, const uint64_t *lanes);

/* Dots of MN rows of A and MN columns of B, which have K factors each (step.h). */
struct mx_term;
struct mx_factors {
	const mx_profile *profile;
	unsigned MN, K;
	const struct mx_term *a, *b; /* [row or column][k] */
	bool clamp;
};
typedef uint32_t mx_tile_results[MX_TILE_MN][MX_TILE_MN];

/* D from C, which is another array: by alignment, or one by one. */
void mx_factors_products(const struct mx_factors *g, const mx_tile_results c, mx_tile_results d);

/* By alignment, without clamp and but for the columns in again[row], in vectors of doubles, or of
 * integers without the C of a profile that adds it late. False, and nothing is done, if it does not
 * apply. */
bool mx_factors_by_aligned_doubles(const struct mx_factors *g, const mx_tile_results c,
                                   mx_tile_results d, uint32_t again[MX_TILE_MN]);
bool mx_factors_by_alignment(const struct mx_factors *g, const mx_tile_results c, mx_tile_results d,
                             uint32_t again[MX_TILE_MN]);

/* Whether both apply to such a profile, on CPUs that have their instructions. */
bool mx_aligns_in_vectors(const mx_profile *p, unsigned MN, unsigned K);

/* Whether float arithmetic of this thread rounds to nearest and keeps subnormals. */
bool mx_environment_is_ieee(void);

#endif
