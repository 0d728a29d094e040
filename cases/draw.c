/* Random numbers by position: a stream, a row and a column give 128 bits, in any order. */
#include "draw.h"

#include "../ref/num/cpu.h"

#include <Random123/philox.h>
#include <stdbool.h>
#include <string.h>

static struct draw philox(struct stream s, philox4x32_ctr_t counter) {
	philox4x32_key_t key = { { s.key[0], s.key[1] } };
	philox4x32_ctr_t r = philox4x32(counter, key);
	return (struct draw){ { r.v[0], r.v[1], r.v[2], r.v[3] } };
}

/* Chains the text, 12 bytes per counter, through the key. The last word holds the length of the
 * rest, so that "ab" + "c" and "a" + "bc" differ. */
static struct stream absorb(struct stream s, const char *text) {
	size_t left = strlen(text) + 1; /* with the NUL: an empty text counts too */
	while (left) {
		philox4x32_ctr_t counter = { { 0, 0, 0, left } };
		size_t n = left < 12 ? left : 12;
		memcpy(counter.v, text, n);
		struct draw d = philox(s, counter);
		memcpy(s.key, d.w, sizeof s.key);
		text += n;
		left -= n;
	}
	return s;
}

struct stream draw_stream(uint64_t seed, const char *case_name, const char *buffer_name) {
	struct stream s = { { (uint32_t)seed, (uint32_t)(seed >> 32) } };
	return absorb(absorb(s, case_name), buffer_name);
}

/* The high bytes of a position: a word of the counter. */
static uint32_t high_bytes(size_t row, size_t column) {
	return (uint32_t)(row >> 32) << 8 | (uint32_t)(column >> 32);
}

struct draw draw_at(struct stream s, enum purpose purpose, size_t row, size_t column) {
	philox4x32_ctr_t counter = { { (uint32_t)column, (uint32_t)row, high_bytes(row, column),
		                       purpose } };
	return philox(s, counter);
}

void draw_normals_plain(struct stream s, enum purpose purpose, size_t row, size_t column,
                        int32_t normal[DRAW_LINE]) {
	for (size_t i = 0; i < DRAW_LINE; i++)
		normal[i] = draw_normal(draw_at(s, purpose, row, column + i));
}

void draw_few_plain(struct stream s, enum purpose purpose, size_t row, size_t column, size_t n,
                    struct draw few[DRAW_FEW]) {
	for (size_t i = 0; i < n; i++)
		few[i] = draw_at(s, purpose, row, column + i);
}

/* ---- side by side: by loops that the compiler vectorises ---- */

/* The words of the counters of 32 draws, then those of the draws. */
struct counters {
	uint32_t word[4][DRAW_LINE];
};

static void draw_round(struct counters *c, uint32_t key0, uint32_t key1) {
	struct counters next;
	for (int i = 0; i < DRAW_LINE; i++) {
		uint64_t p0 = (uint64_t)PHILOX_M4x32_0 * c->word[0][i];
		uint64_t p1 = (uint64_t)PHILOX_M4x32_1 * c->word[2][i];
		next.word[0][i] = (uint32_t)(p1 >> 32) ^ c->word[1][i] ^ key0;
		next.word[1][i] = (uint32_t)p1;
		next.word[2][i] = (uint32_t)(p0 >> 32) ^ c->word[3][i] ^ key1;
		next.word[3][i] = (uint32_t)p0;
	}
	*c = next;
}

void draw_normals_portable(struct stream s, enum purpose purpose, size_t row, size_t column,
                           int32_t normal[DRAW_LINE]) {
	struct counters c;
	for (uint32_t i = 0; i < DRAW_LINE; i++) {
		c.word[0][i] = (uint32_t)column + i;
		c.word[1][i] = (uint32_t)row;
		c.word[2][i] = high_bytes(row, column);
		c.word[3][i] = purpose;
	}
	for (unsigned r = 0; r < PHILOX4x32_DEFAULT_ROUNDS; r++)
		draw_round(&c, s.key[0] + r * PHILOX_W32_0, s.key[1] + r * PHILOX_W32_1);
	for (int i = 0; i < DRAW_LINE; i++)
		normal[i] = draw_normal((struct draw){
			{ c.word[0][i], c.word[1][i], c.word[2][i], c.word[3][i] } });
}

/* ---- side by side: by AVX-512 ---- */

#if defined __x86_64__
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512vl")))

enum { LANES = 8, VECTORS = DRAW_LINE / LANES };

/* A word of the counter in the low half of each lane; the high half is anything. */
struct word {
	__m512i v[VECTORS];
};

/* Round multipliers and key increments of Philox4x32 [Random123, philox.h]. */
WIDE static inline void philox_round(struct word c[4], int vectors, uint32_t key0, uint32_t key1) {
	const __m512i m0 = _mm512_set1_epi64(PHILOX_M4x32_0);
	const __m512i m1 = _mm512_set1_epi64(PHILOX_M4x32_1);
	const __m512i k0 = _mm512_set1_epi64(key0), k1 = _mm512_set1_epi64(key1);
	for (int i = 0; i < vectors; i++) {
		__m512i p0 = _mm512_mul_epu32(m0, c[0].v[i]);
		__m512i p1 = _mm512_mul_epu32(m1, c[2].v[i]);
		c[0].v[i] = _mm512_srli_epi64(p1, 32) ^ c[1].v[i] ^ k0;
		c[2].v[i] = _mm512_srli_epi64(p0, 32) ^ c[3].v[i] ^ k1;
		c[1].v[i] = p1;
		c[3].v[i] = p0;
	}
}

/* Adds the three uniforms of a word. */
WIDE static inline __m512i add_uniforms(__m512i sum, __m512i w) {
	const __m512i ten = _mm512_set1_epi32(1023);
	sum = _mm512_add_epi32(sum, w & ten);
	sum = _mm512_add_epi32(sum, _mm512_srli_epi32(w, 10) & ten);
	return _mm512_add_epi32(sum, _mm512_srli_epi32(w, 20) & ten);
}

/* The low halves of the lanes of two vectors. */
WIDE static inline __m512i low_halves(__m512i a, __m512i b) {
	const __m512i even =
		_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
	return _mm512_permutex2var_epi32(a, even, b);
}

/* The draws at the columns from `column` on, which have the same high bytes. `vectors` is a
 * constant. */
WIDE static inline void draw_words(struct stream s, enum purpose purpose, size_t row, size_t column,
                                   int vectors, struct word c[4]) {
	for (int i = 0; i < vectors; i++) {
		c[0].v[i] = _mm512_add_epi64(_mm512_set1_epi64((uint32_t)column + i * LANES),
		                             _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
		c[1].v[i] = _mm512_set1_epi64((uint32_t)row);
		c[2].v[i] = _mm512_set1_epi64(high_bytes(row, column));
		c[3].v[i] = _mm512_set1_epi64(purpose);
	}
	for (unsigned r = 0; r < PHILOX4x32_DEFAULT_ROUNDS; r++)
		philox_round(c, vectors, s.key[0] + r * PHILOX_W32_0, s.key[1] + r * PHILOX_W32_1);
}

WIDE static void normals_wide(struct stream s, enum purpose purpose, size_t row, size_t column,
                              int32_t normal[DRAW_LINE]) {
	struct word c[4];
	draw_words(s, purpose, row, column, VECTORS, c);
	for (int i = 0; i < VECTORS; i += 2) {
		__m512i sum = _mm512_set1_epi32(-12 * 1023 / 2);
		for (int w = 0; w < 4; w++)
			sum = add_uniforms(sum, low_halves(c[w].v[i], c[w].v[i + 1]));
		_mm512_storeu_si512(normal + i * LANES, sum);
	}
}

/* The words of each draw are side by side. */
WIDE static void few_wide(struct stream s, enum purpose purpose, size_t row, size_t column,
                          size_t n, struct draw few[DRAW_FEW]) {
	const __m512i turns =
		_mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
	struct word c[4];
	(void)n; /* one draw takes as long as all */
	draw_words(s, purpose, row, column, 1, c);
	__m512i first = low_halves(c[0].v[0], c[1].v[0]), last = low_halves(c[2].v[0], c[3].v[0]);
	__m512i later = _mm512_add_epi32(turns, _mm512_set1_epi32(DRAW_FEW / 2));
	_mm512_storeu_si512(few, _mm512_permutex2var_epi32(first, turns, last));
	_mm512_storeu_si512(few + DRAW_FEW / 2, _mm512_permutex2var_epi32(first, later, last));
}
#else
#define normals_wide draw_normals_portable
#define few_wide     draw_few_plain
#endif

/* Whether n columns from `column` on have the same high bytes, as draws side by side need. */
static bool is_low(size_t column, size_t n) {
	return column >> 32 == (column + n - 1) >> 32;
}

void draw_few(struct stream s, enum purpose purpose, size_t row, size_t column, size_t n,
              struct draw few[DRAW_FEW]) {
	bool wide = mx_cpu_has(MX_CPU_V4) && is_low(column, DRAW_FEW);
	(wide ? few_wide : draw_few_plain)(s, purpose, row, column, n, few);
}

void draw_normals(struct stream s, enum purpose purpose, size_t row, size_t column,
                  int32_t normal[DRAW_LINE]) {
	(!is_low(column, DRAW_LINE) ? draw_normals_plain
	 : mx_cpu_has(MX_CPU_V4)    ? normals_wide
	                            : draw_normals_portable)(s, purpose, row, column, normal);
}
