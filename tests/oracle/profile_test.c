/* The profiles of oracle/exact against ref's plain instructions: two evaluations of the
 * same definition that share no code. */
#include "../../oracle/exact/exact.h"
#include "../../ref/mxref.h"
#include "../random.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { MN = 6, MAX_K = 256, FORMATS = 5 };

static const struct {
	mx_format f;
	const char *name;
	unsigned bits, special; /* magnitudes from `special` are not finite */
} formats[FORMATS] = {
	{ MX_E4M3, "E4M3", 8, 0x7F },  { MX_E5M2, "E5M2", 8, 0x7C },  { MX_E2M3, "E2M3", 6, 0x100 },
	{ MX_E3M2, "E3M2", 6, 0x100 }, { MX_E2M1, "E2M1", 4, 0x100 },
};

static uint64_t rng_state = 4;

static uint64_t rng(void) {
	return next_random(&rng_state);
}

struct operand {
	int format;
	mx_elem code[MN][MAX_K];
	mx_e8m0 scale[MN][MAX_K / 32];
	uint8_t packed[MN][MAX_K];
};

/* kind 0: all finite codes, scales near 1; 1: few exponents, scales over 30 binades around
 * the accumulator; 2: any scale except NaN; 3: specials; 4: zeros of both signs. */
static unsigned random_code(int format, int kind) {
	unsigned sign = 1u << (formats[format].bits - 1), magnitude = rng() % sign;
	if (magnitude >= formats[format].special && (kind != 3 || rng() % 8))
		magnitude = formats[format].special - 1 - rng() % 4;
	if (kind == 4 && rng() % 16)
		magnitude = 0;
	return magnitude | (rng() % (kind == 4 ? 16 : 2) ? sign : 0);
}

static uint8_t random_scale(int kind) {
	if (kind == 3 && rng() % 32 == 0)
		return 0xFF;
	return kind == 1 ? 112 + rng() % 30 : kind == 2 ? rng() % 255 : 125 + rng() % 5;
}

static void set_packed(uint8_t *row, unsigned bits, unsigned k, unsigned code) {
	for (unsigned i = 0; i < bits; i++)
		row[(k * bits + i) / 8] |= (code >> i & 1) << (k * bits + i) % 8;
}

static void random_operand(struct operand *o, int format, unsigned k, int kind) {
	memset(o, 0, sizeof *o);
	o->format = format;
	for (unsigned i = 0; i < MN; i++) {
		for (unsigned c = 0; c < k; c++) {
			o->code[i][c].v = random_code(format, kind);
			set_packed(o->packed[i], formats[format].bits, c, o->code[i][c].v);
		}
		for (unsigned b = 0; b < k / 32; b++)
			o->scale[i][b].v = random_scale(kind);
	}
}

static struct exact_operand exact_of(const struct operand *o) {
	return (struct exact_operand){ formats[o->format].name, o->packed[0], &o->scale[0][0].v,
		                       MAX_K, MAX_K / 32 };
}

/* K by instructions of mma_k, one accumulator from +0. */
static uint32_t by_ref(const char *profile, const struct operand *a, const struct operand *b,
                       unsigned i, unsigned j, unsigned k, unsigned mma_k) {
	mx_f32 acc = { 0 };
	for (unsigned c = 0; c < k; c += mma_k)
		mx_mma_dot(mx_profile_by_name(profile), formats[a->format].f, formats[b->format].f,
		           mma_k, a->code[i] + c, a->scale[i] + c / 32, b->code[j] + c,
		           b->scale[j] + c / 32, acc, &acc);
	return acc.v;
}

static int wrong_outputs(const char *profile, const struct operand *a, const struct operand *b,
                         unsigned k, unsigned mma_k) {
	uint32_t out[MN][MN];
	int wrong = 0;
	struct exact_gemm g = { MN, MN, k, exact_of(a), exact_of(b) };
	if (exact_profile(&g, profile, mma_k, out[0]) != EXACT_OK)
		return 1;
	for (unsigned i = 0; i < MN; i++)
		for (unsigned j = 0; j < MN; j++) {
			uint32_t ref = by_ref(profile, a, b, i, j, k, mma_k);
			if (ref != out[i][j] && !wrong++)
				diag("first wrong: %s x %s, K %u by %u, D[%u][%u]: ref %08x, exact "
				     "%08x",
				     formats[a->format].name, formats[b->format].name, k, mma_k, i,
				     j, ref, out[i][j]);
		}
	return wrong;
}

static void test_profile(const char *profile) {
	static struct operand a, b;
	int wrong = 0, n = 0, rounds = is_long() ? 40 : 1;
	for (int pair = 0; pair < FORMATS * FORMATS * rounds; pair++)
		for (int kind = 0; kind < 5; kind++, n += MN * MN) {
			unsigned mma_k = 64u << rng() % 2,
				 k = mma_k * (1 + rng() % (MAX_K / mma_k));
			random_operand(&a, pair / FORMATS % FORMATS, k, kind);
			random_operand(&b, pair % FORMATS, k, kind == 4 ? 2 : kind);
			if (!wrong)
				wrong = wrong_outputs(profile, &a, &b, k, mma_k);
		}
	ok(!wrong, "%s: oracle and ref agree on %d outputs, all format pairs", profile, n);
}

/* A change of one element in the last place must change the sums. */
static void test_difference_shows(const char *profile) {
	static struct operand a, b, changed;
	uint32_t x[MN][MN], y[MN][MN];
	random_operand(&a, 4, 128, 0);
	random_operand(&b, 4, 128, 0);
	changed = a;
	changed.packed[2][17] ^= 2;
	struct exact_gemm g = { MN, MN, 128, exact_of(&a), exact_of(&b) };
	enum exact_status first = exact_profile(&g, profile, 128, x[0]);
	g.a = exact_of(&changed);
	ok(first == EXACT_OK && exact_profile(&g, profile, 128, y[0]) == EXACT_OK &&
	           memcmp(x[2], y[2], sizeof x[2]) && !memcmp(x[0], y[0], sizeof x[0]),
	   "%s: another element changes only its row", profile);
}

/* Instructions that pad K are the same as zeros in K. They change only the results of a row with
 * products that underflow to -0. */
static void test_tiles(const char *profile) {
	static struct operand a, b;
	uint32_t alone[MN][MN], tiles[MN][MN], zeros[MN][MN];
	random_operand(&a, 4, 128, 1);
	random_operand(&b, 4, 128, 1);
	memset(a.packed[0], 0x99, 64); /* -0.5 */
	memset(b.packed[0], 0x11, 64);
	memset(a.scale[0], 0, sizeof a.scale[0]);
	memset(b.scale[0], 0, sizeof b.scale[0]);
	struct exact_gemm g = { MN, MN, 128, exact_of(&a), exact_of(&b) };
	bool good = exact_profile(&g, profile, 128, alone[0]) == EXACT_OK;
	g.k_tile = 256;
	good &= exact_profile(&g, profile, 128, tiles[0]) == EXACT_OK;
	g.k_tile = 0;
	g.k = 256;
	good &= exact_profile(&g, profile, 128, zeros[0]) == EXACT_OK;
	ok(good && alone[0][0] == 0x80000000 && tiles[0][0] == 0 &&
	           !memcmp(tiles, zeros, sizeof tiles),
	   "%s: a tile of K is padded with zeros, which turn -0 into +0", profile);
	g.k = 128;
	g.k_tile = 128;
	ok(exact_profile(&g, profile, 128, tiles[0]) == EXACT_OK &&
	           !memcmp(tiles, alone, sizeof tiles),
	   "%s: a whole tile needs no padding", profile);
}

int main(void) {
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	for (int i = 0; i < 4; i++) {
		test_profile(profiles[i]);
		test_difference_shows(profiles[i]);
		test_tiles(profiles[i]);
	}
	return done_testing();
}
