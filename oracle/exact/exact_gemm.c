/* The product and the profiles: one walk over K, in groups that are rounded once. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { NAN_BITS = 0x7fc00000, INF_BITS = 0x7f800000 };
#define NEGATIVE_ZERO 0x80000000u

/* Specials among the addends of a sum. */
enum { SEEN_NAN = 1, SEEN_PLUS_INF = 2, SEEN_MINUS_INF = 4 };

static uint32_t special_sum(unsigned seen) {
	if (seen == SEEN_PLUS_INF)
		return INF_BITS;
	return seen == SEEN_MINUS_INF ? NEGATIVE_ZERO | INF_BITS : NAN_BITS;
}

static unsigned f32_special(uint32_t x) {
	uint32_t magnitude = x & ~NEGATIVE_ZERO;
	if (magnitude < INF_BITS)
		return 0;
	if (magnitude > INF_BITS)
		return SEEN_NAN;
	return x & NEGATIVE_ZERO ? SEEN_MINUS_INF : SEEN_PLUS_INF;
}

static struct exact_term f32_term(uint32_t x) {
	int exp = x >> 23 & 0xff;
	int32_t sig = (x & 0x7fffff) | (exp ? 0x800000 : 0);
	return (struct exact_term){ x & NEGATIVE_ZERO ? -sig : sig, (exp ? exp : 1) - 150 };
}

static bool is_zero(const struct exact_row *r, size_t k) {
	return !r->sig[k] && !(r->flags[k] & EXACT_INF);
}

static unsigned product_special(const struct exact_row *a, const struct exact_row *b, size_t k) {
	unsigned either = a->flags[k] | b->flags[k];
	if (either & EXACT_NAN)
		return SEEN_NAN;
	if (!(either & EXACT_INF))
		return 0;
	if (is_zero(a, k) || is_zero(b, k))
		return SEEN_NAN;
	return (a->flags[k] ^ b->flags[k]) & EXACT_NEGATIVE ? SEEN_MINUS_INF : SEEN_PLUS_INF;
}

static unsigned block_special(const struct exact_row *a, const struct exact_row *b, size_t block) {
	unsigned either = a->block[block].flags | b->block[block].flags;
	unsigned seen = 0;
	for (size_t k = block * EXACT_BLOCK; either && k < (block + 1) * EXACT_BLOCK; k++)
		seen |= product_special(a, b, k);
	return seen;
}

/* Elements stay below 2^32 (E5M2 in units of 2^-16), so the dot below 2^69. */
static struct exact_term block_dot(const struct exact_row *a, const struct exact_row *b,
                                   size_t block) {
	const int64_t *x = a->sig + block * EXACT_BLOCK, *y = b->sig + block * EXACT_BLOCK;
	__int128 dot = 0;
	for (int k = 0; k < EXACT_BLOCK; k++)
		dot += (__int128)x[k] * y[k];
	return (struct exact_term){ dot, a->block[block].exp + b->block[block].exp };
}

static bool all_negative_zero(const struct exact_row *a, const struct exact_row *b, size_t first,
                              size_t blocks) {
	for (size_t k = first * EXACT_BLOCK; k < (first + blocks) * EXACT_BLOCK; k++)
		if (!(is_zero(a, k) || is_zero(b, k)) ||
		    !((a->flags[k] ^ b->flags[k]) & EXACT_NEGATIVE))
			return false;
	return true;
}

/* acc plus the products of some blocks, rounded once. The accumulator starts at
 * +0 and becomes -0 only when a negative sum underflows. */
static uint32_t accumulate(uint32_t acc, const struct exact_row *a, const struct exact_row *b,
                           size_t first, size_t blocks, struct exact_term *terms) {
	unsigned seen = f32_special(acc);
	for (size_t i = 0; i < blocks; i++) {
		seen |= block_special(a, b, first + i);
		terms[i] = block_dot(a, b, first + i);
	}
	if (seen)
		return special_sum(seen);
	if (acc == NEGATIVE_ZERO && all_negative_zero(a, b, first, blocks))
		return NEGATIVE_ZERO;
	terms[blocks] = f32_term(acc);
	return exact_sum(terms, blocks + 1);
}

/* group: blocks that are summed before a rounding; divides the blocks of a row. */
static enum exact_status walk(const struct exact_rows *a, const struct exact_rows *b, size_t group,
                              uint32_t *out) {
	struct exact_term *terms = calloc(group + 1, sizeof *terms);
	if (!terms)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < a->rows; i++) {
		struct exact_row x = exact_row_at(a, i);
		for (size_t j = 0; j < b->rows; j++) {
			struct exact_row y = exact_row_at(b, j);
			uint32_t acc = 0;
			for (size_t block = 0; block < a->blocks; block += group)
				acc = accumulate(acc, &x, &y, block, group, terms);
			out[i * b->rows + j] = acc;
		}
	}
	free(terms);
	return EXACT_OK;
}

/* instruction: blocks of an instruction; group: 0 for all of K. */
static enum exact_status gemm(const struct exact_gemm *g, size_t instruction, size_t group,
                              uint32_t *out) {
	struct exact_rows a, b = { 0 };
	enum exact_status status = exact_rows_decode(&a, &g->a, g->m, g->k, instruction);
	if (!status)
		status = exact_rows_decode(&b, &g->b, g->n, g->k, instruction);
	if (!status)
		status = walk(&a, &b, group ? group : a.blocks, out);
	exact_rows_free(&a);
	exact_rows_free(&b);
	return status;
}

enum exact_status exact_product(const struct exact_gemm *g, uint32_t *out) {
	return gemm(g, 1, 0, out);
}

enum exact_status exact_profile(const struct exact_gemm *g, const char *profile, unsigned mma_k,
                                uint32_t *out) {
	bool block32 = profile && !strcmp(profile, "block32");
	if (!block32 && !(profile && !strcmp(profile, "fused")))
		return EXACT_BAD_PROFILE;
	if (!mma_k || mma_k % EXACT_BLOCK)
		return EXACT_BAD_SHAPE;
	return gemm(g, mma_k / EXACT_BLOCK, block32 ? 1 : mma_k / EXACT_BLOCK, out);
}
