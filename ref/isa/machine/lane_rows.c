/* 16 bytes of each lane, and their dwords in rows of registers: by AVX-512 sixteen lanes at a time,
 * or four. */
#include "lane_bytes.h"

#include "../../num/cpu.h"

/* ---- four lanes ---- */

static void load_by_four(mx_vreg *row, uintptr_t base, const uint64_t *at, unsigned n) {
	for (unsigned l = 0; l < n; l += 4) {
		mx_quad q[4];
		for (unsigned i = 0; i < 4; i++)
			q[i] = mx_quad_load(mx_place(base, at[l + i]));
		mx_transpose(q);
		for (unsigned k = 0; k < 4; k++)
			memcpy(&row[k][l], &q[k], sizeof q[k]);
	}
}

static void store_by_four(uintptr_t base, const uint64_t *at, const mx_vreg *row, unsigned n) {
	for (unsigned l = 0; l < n; l += 4) {
		mx_quad q[4];
		for (unsigned k = 0; k < 4; k++)
			q[k] = mx_quad_load(&row[k][l]);
		mx_transpose(q);
		for (unsigned i = 0; i < 4; i++)
			memcpy(mx_place(base, at[l + i]), &q[i], sizeof q[i]);
	}
}

/* ---- sixteen lanes ---- */

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f"))) static

/* The same in each quarter of the vectors. */
AVX512 inline void transpose_quarters(__m512i x[4]) {
	__m512i a = _mm512_unpacklo_epi32(x[0], x[1]), b = _mm512_unpacklo_epi32(x[2], x[3]);
	__m512i c = _mm512_unpackhi_epi32(x[0], x[1]), d = _mm512_unpackhi_epi32(x[2], x[3]);
	x[0] = _mm512_unpacklo_epi64(a, b);
	x[1] = _mm512_unpackhi_epi64(a, b);
	x[2] = _mm512_unpacklo_epi64(c, d);
	x[3] = _mm512_unpackhi_epi64(c, d);
}

/* Vector i has lanes i, 4 + i, 8 + i and 12 + i; transposed, row i has its dwords in the order of
 * lanes. */
AVX512 void load_by_sixteen(mx_vreg *row, uintptr_t base, const uint64_t *at, unsigned n) {
	for (unsigned l = 0; l < n; l += 16) {
		__m512i x[4];
#pragma GCC unroll 4
		for (unsigned i = 0; i < 4; i++) {
			const uint64_t *lane = at + l + i;
#define QUAD(n) _mm_loadu_si128(mx_place(base, lane[4 * (n)]))
			x[i] = _mm512_castsi128_si512(QUAD(0));
			x[i] = _mm512_inserti32x4(x[i], QUAD(1), 1);
			x[i] = _mm512_inserti32x4(x[i], QUAD(2), 2);
			x[i] = _mm512_inserti32x4(x[i], QUAD(3), 3);
#undef QUAD
		}
		transpose_quarters(x);
		for (unsigned k = 0; k < 4; k++)
			_mm512_storeu_si512(&row[k][l], x[k]);
	}
}

AVX512 void store_by_sixteen(uintptr_t base, const uint64_t *at, const mx_vreg *row, unsigned n) {
	for (unsigned l = 0; l < n; l += 16) {
		__m512i x[4];
		for (unsigned k = 0; k < 4; k++)
			x[k] = _mm512_loadu_si512(&row[k][l]);
		transpose_quarters(x);
#pragma GCC unroll 16
		for (unsigned i = 0; i < 16; i++) { /* ascending: the highest lane wins */
			__m128i quad = i < 4    ? _mm512_extracti32x4_epi32(x[i % 4], 0)
			               : i < 8  ? _mm512_extracti32x4_epi32(x[i % 4], 1)
			               : i < 12 ? _mm512_extracti32x4_epi32(x[i % 4], 2)
			                        : _mm512_extracti32x4_epi32(x[i % 4], 3);
			_mm_storeu_si128(mx_place(base, at[l + i]), quad);
		}
	}
}

#else
#define load_by_sixteen  load_by_four
#define store_by_sixteen store_by_four
#endif

/* ---- by the CPU ---- */

void mx_rows_of_quads(mx_vreg *row, uintptr_t base, const uint64_t *at, unsigned n) {
	(mx_cpu_has(MX_CPU_V4) ? load_by_sixteen : load_by_four)(row, base, at, n);
}

void mx_quads_of_rows(uintptr_t base, const uint64_t *at, const mx_vreg *row, unsigned n) {
	(mx_cpu_has(MX_CPU_V4) ? store_by_sixteen : store_by_four)(base, at, row, n);
}
