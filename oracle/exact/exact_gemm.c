/* The product and the profiles: a walk over K, in steps that are rounded once. */
#include "fast.h"
#include "inside.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#define NEGATIVE_ZERO 0x80000000u

static bool is_zero(const struct exact_row *r, size_t k) {
	return !r->sig[k] && !(r->flags[k] & EXACT_INF);
}

static unsigned product_special(const struct exact_row *a, const struct exact_row *b, size_t k) {
	unsigned either = a->flags[k] | b->flags[k];
	if (either & EXACT_NAN)
		return EXACT_SEEN_NAN;
	if (!(either & EXACT_INF))
		return 0;
	if (is_zero(a, k) || is_zero(b, k))
		return EXACT_SEEN_NAN;
	return (a->flags[k] ^ b->flags[k]) & EXACT_NEGATIVE ? EXACT_SEEN_MINUS_INF
	                                                    : EXACT_SEEN_PLUS_INF;
}

static unsigned block_special(const struct exact_row *a, const struct exact_row *b, size_t block) {
	unsigned either = a->block[block].flags | b->block[block].flags;
	unsigned seen = 0;
	for (size_t k = block * EXACT_BLOCK; either && k < (block + 1) * EXACT_BLOCK; k++)
		seen |= product_special(a, b, k);
	return seen;
}

/* Elements are below 2^32 (E5M2 in units of 2^-16), so the dot is below 2^69. */
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

/* acc plus the products of some blocks, rounded once, or to odd. The accumulator starts at
 * +0 and becomes -0 only when a negative sum underflows. */
static uint32_t accumulate(uint32_t acc, const struct exact_row *a, const struct exact_row *b,
                           size_t first, size_t blocks, struct exact_term *terms, bool odd) {
	unsigned seen = exact_f32_special(acc);
	for (size_t i = 0; i < blocks; i++) {
		seen |= block_special(a, b, first + i);
		terms[i] = block_dot(a, b, first + i);
	}
	if (seen)
		return exact_special_sum(seen);
	if (acc == NEGATIVE_ZERO && all_negative_zero(a, b, first, blocks))
		return NEGATIVE_ZERO;
	terms[blocks] = exact_f32_term(acc);
	return odd ? exact_sum_odd(terms, blocks + 1) : exact_sum(terms, blocks + 1);
}

/* ---- a profile's walk through one instruction: from block `first`, `blocks` of them ---- */

struct pair {
	struct exact_row a, b;
	int man_a, man_b;         /* mantissa bits of the formats */
	struct exact_term *terms; /* room for the blocks of an instruction and two more */
};

static uint32_t by_sum(uint32_t acc, const struct pair *p, size_t first, size_t blocks) {
	return accumulate(acc, &p->a, &p->b, first, blocks, p->terms, false);
}

/* The sum rounded to odd, for a second rounding to 22 bits or fewer. */
static uint32_t by_odd_sum(uint32_t acc, const struct pair *p, size_t first, size_t blocks) {
	return accumulate(acc, &p->a, &p->b, first, blocks, p->terms, true);
}

static uint32_t by_blocks(uint32_t acc, const struct pair *p, size_t first, size_t blocks) {
	for (size_t i = first; i < first + blocks; i++)
		acc = accumulate(acc, &p->a, &p->b, i, 1, p->terms, false);
	return acc;
}

static struct exact_term product(const struct pair *p, size_t k) {
	int exp = p->a.block[k / EXACT_BLOCK].exp + p->b.block[k / EXACT_BLOCK].exp;
	return (struct exact_term){ (__int128)p->a.sig[k] * p->b.sig[k], exp };
}

/* Whether products k to k + n - 1 and acc are all -0. */
static bool only_negative_zeros(uint32_t acc, const struct pair *p, size_t k, size_t n) {
	bool all = acc == NEGATIVE_ZERO;
	for (size_t i = k; all && i < k + n; i++)
		all = (is_zero(&p->a, i) || is_zero(&p->b, i)) &&
		      (p->a.flags[i] ^ p->b.flags[i]) & EXACT_NEGATIVE;
	return all;
}

static uint32_t fma_step(uint32_t acc, const struct pair *p, size_t k) {
	unsigned seen = exact_f32_special(acc) | product_special(&p->a, &p->b, k);
	struct exact_term terms[2] = { product(p, k), exact_f32_term(acc) };
	if (seen)
		return exact_special_sum(seen);
	return only_negative_zeros(acc, p, k, 1) ? NEGATIVE_ZERO : exact_sum(terms, 2);
}

static uint32_t by_fmas(uint32_t acc, const struct pair *p, size_t first, size_t blocks) {
	for (size_t k = first * EXACT_BLOCK; k < (first + blocks) * EXACT_BLOCK; k++)
		acc = fma_step(acc, p, k);
	return acc;
}

/* ---- cdna3 [arXiv 2511.10909, FP8 on MI300X] ---- */

/* All values are multiples of 2^LOW: products of 2^-286, and floors of 2^(-28 - 254 - 32) or
 * more. */
enum { LOW = -400, CHUNK = 16, BITS = 24, DOT_BITS = 32, DROP = 25, LIMIT = 128, NONE = -9999 };

static int log2_of(uint64_t x) {
	return 63 - __builtin_clzll(x);
}

/* The exponent of a nonzero product in a datapath: a subnormal element has the least exponent. */
static int product_exponent(const struct pair *p, size_t k) {
	int a = log2_of(llabs(p->a.sig[k])), b = log2_of(llabs(p->b.sig[k]));
	return product(p, k).exp + (a > p->man_a ? a : p->man_a) + (b > p->man_b ? b : p->man_b);
}

static void set_term(mpz_t z, struct exact_term t) {
	bool negative = t.sig < 0;
	unsigned __int128 x = negative ? -(unsigned __int128)t.sig : (unsigned __int128)t.sig;
	uint64_t words[2] = { x, x >> 64 };
	mpz_import(z, 2, -1, sizeof *words, 0, 0, words);
	mpz_mul_2exp(z, z, t.exp - LOW);
	if (negative)
		mpz_neg(z, z);
}

/* Drops the bits below 2^exp: toward minus infinity, or toward zero. */
static void floor_at(mpz_t z, int exp) {
	mpz_fdiv_q_2exp(z, z, exp - LOW);
	mpz_mul_2exp(z, z, exp - LOW);
}

static void truncate_at(mpz_t z, int exp) {
	mpz_tdiv_q_2exp(z, z, exp - LOW);
	mpz_mul_2exp(z, z, exp - LOW);
}

/* Largest exponent of every second product from k. */
static int half_exponent(const struct pair *p, size_t k, size_t end) {
	int most = NONE;
	for (; k < end; k += 2)
		if (p->a.sig[k] && p->b.sig[k] && product_exponent(p, k) > most)
			most = product_exponent(p, k);
	return most;
}

/* sum += every second product from k, truncated, then floored together at `at`. */
static void add_half(mpz_t sum, const struct pair *p, size_t k, size_t end, int at) {
	int most = half_exponent(p, k, end);
	mpz_t half, term;
	mpz_inits(half, term, NULL);
	for (; most != NONE && k < end; k += 2) {
		set_term(term, product(p, k));
		truncate_at(term, most - BITS);
		mpz_add(half, half, term);
	}
	if (most != NONE)
		floor_at(half, at);
	mpz_add(sum, sum, half);
	mpz_clears(half, term, NULL);
}

/* acc + the chunk's products, all finite; e: the largest exponent of a product. */
static uint32_t finite_chunk(uint32_t acc, const struct pair *p, size_t k, int e) {
	struct exact_term c = exact_f32_term(acc);
	int top = c.sig ? log2_of(c.sig < 0 ? -c.sig : c.sig) + c.exp : NONE;
	top = c.sig && top < -126 ? -126 : top;
	int most = e > top ? e : top;
	if (most == NONE)
		return 0;
	mpz_t sum, term;
	mpz_inits(sum, term, NULL);
	if (e != NONE) {
		add_half(sum, p, k, k + CHUNK, e - BITS);
		add_half(sum, p, k + 1, k + CHUNK, e - BITS);
	}
	floor_at(sum, most - DOT_BITS);
	if (top >= most - DROP) {
		set_term(term, c);
		floor_at(term, most - BITS);
		mpz_add(sum, sum, term);
	}
	/* A multiple of 2^(most - DOT_BITS), below 2^(most + 8): it fits 64 bits. */
	mpz_tdiv_q_2exp(sum, sum, most - DOT_BITS - LOW);
	uint32_t result = exact_round((struct exact_term){ mpz_get_si(sum), most - DOT_BITS });
	mpz_clears(sum, term, NULL);
	return result;
}

static unsigned overflowing(const struct pair *p, size_t k) {
	uint64_t a = llabs(p->a.sig[k]), b = llabs(p->b.sig[k]);
	unsigned __int128 x = (unsigned __int128)a * b;
	int bits = (uint64_t)(x >> 64) ? 64 + log2_of(x >> 64) : x ? log2_of(x) : NONE;
	if (bits + product(p, k).exp < LIMIT)
		return 0;
	return (p->a.sig[k] < 0) != (p->b.sig[k] < 0) ? EXACT_SEEN_MINUS_INF : EXACT_SEEN_PLUS_INF;
}

static uint32_t chunk_step(uint32_t acc, const struct pair *p, size_t k) {
	unsigned seen = exact_f32_special(acc);
	for (size_t i = k; i < k + CHUNK; i++)
		seen |= product_special(&p->a, &p->b, i) | overflowing(p, i);
	if (seen)
		return exact_special_sum(seen);
	if (only_negative_zeros(acc, p, k, CHUNK))
		return NEGATIVE_ZERO;
	int even = half_exponent(p, k, k + CHUNK), odd = half_exponent(p, k + 1, k + CHUNK);
	return finite_chunk(acc, p, k, even > odd ? even : odd);
}

static uint32_t by_chunks(uint32_t acc, const struct pair *p, size_t first, size_t blocks) {
	for (size_t k = first * EXACT_BLOCK; k < (first + blocks) * EXACT_BLOCK; k += CHUNK)
		acc = chunk_step(acc, p, k);
	return acc;
}

/* ---- all elements ---- */

typedef uint32_t (*walk)(uint32_t acc, const struct pair *p, size_t first, size_t blocks);

/* instruction: its number of blocks; divides the blocks of a row. */
static enum exact_status walk_all(const struct exact_rows *a, const struct exact_rows *b,
                                  size_t instruction, walk through, uint32_t *out) {
	struct pair p = { .man_a = a->format->man_bits, .man_b = b->format->man_bits };
	p.terms = calloc(instruction + 2, sizeof *p.terms);
	if (!p.terms)
		return EXACT_NO_MEMORY;
	for (size_t i = 0; i < a->rows; i++) {
		p.a = exact_row_at(a, i);
		for (size_t j = 0; j < b->rows; j++) {
			uint32_t acc = 0;
			p.b = exact_row_at(b, j);
			for (size_t block = 0; block < a->blocks; block += instruction)
				acc = through(acc, &p, block, instruction);
			out[i * b->rows + j] = acc;
		}
	}
	free(p.terms);
	return EXACT_OK;
}

/* instruction: its number of blocks; 0: all of K in one instruction. */
static enum exact_status gemm(const struct exact_gemm *g, size_t instruction, walk through,
                              uint32_t *out) {
	size_t multiple = instruction ? instruction : 1;
	struct exact_rows a, b = { 0 };
	enum exact_status status = exact_rows_decode(&a, &g->a, g->m, g->k, multiple);
	if (!status)
		status = exact_rows_decode(&b, &g->b, g->n, g->k, multiple);
	if (!status)
		status = walk_all(&a, &b, instruction ? instruction : a.blocks, through, out);
	exact_rows_free(&a);
	exact_rows_free(&b);
	return status;
}

enum exact_status exact_product_plain(const struct exact_gemm *g, enum exact_output output,
                                      uint32_t *out) {
	if (!exact_plain_scales(&g->a) || !exact_plain_scales(&g->b))
		return exact_items_product(g, output, out);
	enum exact_status status = gemm(g, 0, output == EXACT_F32 ? by_sum : by_odd_sum, out);
	for (size_t i = 0; !status && i < g->m * g->n; i++)
		out[i] = exact_narrow(out[i], output);
	return status;
}

/* Adds the instructions of zeros that k_tile requires. */
static void add_zeros(const struct exact_gemm *g, unsigned mma_k, uint32_t *out) {
	size_t short_of = g->k_tile ? (g->k_tile - g->k % g->k_tile) % g->k_tile : 0;
	for (size_t i = 0; short_of >= mma_k && i < g->m * g->n; i++)
		out[i] = out[i] == 0x80000000 ? 0 : out[i];
}

enum exact_status exact_profile_plain(const struct exact_gemm *g, const char *profile,
                                      unsigned mma_k, uint32_t *out) {
	static const struct {
		const char *name;
		walk through;
	} profiles[] = {
		{ "block32", by_blocks },
		{ "fused", by_sum },
		{ "fma32", by_fmas },
		{ "cdna3", by_chunks },
	};
	for (size_t i = 0; profile && i < sizeof profiles / sizeof *profiles; i++) {
		if (strcmp(profile, profiles[i].name))
			continue;
		if (!mma_k || mma_k % EXACT_BLOCK)
			return EXACT_BAD_SHAPE;
		enum exact_status s = gemm(g, mma_k / EXACT_BLOCK, profiles[i].through, out);
		if (s == EXACT_OK)
			add_zeros(g, mma_k, out);
		return s;
	}
	return EXACT_BAD_PROFILE;
}

enum exact_status exact_walk_block32(const struct exact_gemm *g, size_t instruction,
                                     uint32_t *out) {
	return gemm(g, instruction, by_blocks, out);
}

/* by_chunks, as a member */
static const struct exact_member cdna3 = { .group = CHUNK,
	                                   .parts = 2,
	                                   .align = BITS,
	                                   .join = BITS,
	                                   .dot = DOT_BITS,
	                                   .acc = BITS,
	                                   .drop = DROP,
	                                   .limit = LIMIT };

/* With other scales than E8M0 on blocks of 32: each profile as a member. */
static enum exact_status by_members(const struct exact_gemm *g, const char *profile, unsigned mma_k,
                                    uint32_t *out) {
	static const struct exact_member block32 = { .group = EXACT_BLOCK }, fused = { .group = 0 },
					 fma32 = { .group = 1 };
	const struct {
		const char *name;
		const struct exact_member *member;
	} profiles[] = {
		{ "block32", &block32 },
		{ "fused", &fused },
		{ "fma32", &fma32 },
		{ "cdna3", &cdna3 },
	};
	for (size_t i = 0; profile && i < sizeof profiles / sizeof *profiles; i++)
		if (!strcmp(profile, profiles[i].name))
			return exact_member_product(g, profiles[i].member, mma_k, out);
	return EXACT_BAD_PROFILE;
}

enum exact_status exact_profile(const struct exact_gemm *g, const char *profile, unsigned mma_k,
                                uint32_t *out) {
	bool whole = mma_k && mma_k % EXACT_BLOCK == 0;
	bool formats = exact_format(g->a.format) && exact_format(g->b.format);
	bool chunks = profile && !strcmp(profile, "cdna3") && fast_member_applies(&cdna3, mma_k);
	if (!exact_plain_scales(&g->a) || !exact_plain_scales(&g->b))
		return by_members(g, profile, mma_k, out);
	if (whole && formats && chunks && mma_k <= EXACT_MEMBER_K && g->k_tile % mma_k == 0)
		return exact_member_product(g, &cdna3, mma_k, out);
	if (!whole || !formats || !profile || strcmp(profile, "block32"))
		return exact_profile_plain(g, profile, mma_k, out);
	enum exact_status s = fast_block32(g, fast_choose(g), mma_k / EXACT_BLOCK, out);
	if (s == EXACT_OK)
		add_zeros(g, mma_k, out);
	return s;
}
