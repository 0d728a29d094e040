/* Formats whose sigs fit a byte, E2M1 and E2M3: |sig| <= 60, a dot below 2^17. */
#include "fast.h"

#include <math.h>
#include <string.h>

static int32_t dot32(const int8_t *a, const int8_t *b) {
	int32_t dot = 0;
	for (int q = 0; q < EXACT_BLOCK / 4; q++)
		for (int i = 0; i < 4; i++)
			dot += a[4 * q + i] * b[q * 4 * FAST_TILE + i];
	return dot;
}

/* Any processor: the definition. */
void fast_int8_plain(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	size_t blocks = p->a.blocks;
	for (size_t row = first; row < end; row += FAST_TILE) {
		float acc[FAST_TILE * FAST_TILE] = { 0 };
		for (size_t b = 0; b < blocks; b++)
			for (size_t i = 0; i < FAST_TILE; i++) {
				const int8_t *x =
					p->a.bytes + ((row + i) * blocks + b) * EXACT_BLOCK;
				const int8_t *y =
					p->b.bytes + (strip * blocks + b) * EXACT_BLOCK * FAST_TILE;
				float fa = p->a.factor[b * p->a.padded + row + i];
				const float *fb = p->b.factor + (strip * blocks + b) * FAST_TILE;
				for (size_t j = 0; j < FAST_TILE; j++)
					acc[i * FAST_TILE + j] =
						fmaf((float)dot32(x, y + 4 * j), fa * fb[j],
					             acc[i * FAST_TILE + j]);
			}
		fast_store(p, row, strip * FAST_TILE, acc);
	}
}

#ifdef __x86_64__
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- AVX-512 VNNI: 8 rows at a time, the strip's block in registers ---- */

bool fast_has_vnni(void) {
	return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw");
}

/* The instruction multiplies unsigned by signed bytes: columns are raised by 64, and 64
 * times the row's sum is taken off where the dot starts. */
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
vnni_rows(const struct fast_product *p, size_t strip, size_t row, float *acc) {
	enum { ROWS = 8, QUADS = EXACT_BLOCK / 4, RAISE = 64 };
	size_t blocks = p->a.blocks;
	const __m512i raise = _mm512_set1_epi8(RAISE), ones = _mm512_set1_epi8(1);
	__m512 sum[ROWS];
#pragma GCC unroll 8
	for (int i = 0; i < ROWS; i++)
		sum[i] = _mm512_setzero_ps();
	for (size_t b = 0; b < blocks; b++) {
		const int8_t *y = p->b.bytes + (strip * blocks + b) * EXACT_BLOCK * FAST_TILE;
		__m512 fb = _mm512_load_ps(p->b.factor + (strip * blocks + b) * FAST_TILE);
		__m512i column[QUADS];
#pragma GCC unroll 8
		for (int q = 0; q < QUADS; q++)
			column[q] = _mm512_add_epi8(_mm512_load_si512(y + 64 * q), raise);
#pragma GCC unroll 8
		for (int i = 0; i < ROWS; i++) {
			const int8_t *x = p->a.bytes + ((row + i) * blocks + b) * EXACT_BLOCK;
			__m256i bytes = _mm256_loadu_si256((const __m256i *)x);
			__m512i sums = _mm512_dpbusd_epi32(_mm512_setzero_si512(), ones,
			                                   _mm512_castsi256_si512(bytes));
			int32_t total = _mm512_mask_reduce_add_epi32(0xff, sums);
			__m512i dot = _mm512_set1_epi32(-RAISE * total);
#pragma GCC unroll 8
			for (int q = 0; q < QUADS; q++) {
				int32_t four;
				memcpy(&four, x + 4 * q, 4);
				dot = _mm512_dpbusd_epi32(dot, column[q], _mm512_set1_epi32(four));
			}
			__m512 fa = _mm512_set1_ps(p->a.factor[b * p->a.padded + row + i]);
			sum[i] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_mul_ps(fa, fb),
			                         sum[i]);
		}
	}
	for (int i = 0; i < ROWS; i++)
		_mm512_storeu_ps(acc + i * FAST_TILE, sum[i]);
}

void fast_int8_vnni(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	for (size_t row = first; row < end; row += FAST_TILE) {
		float acc[FAST_TILE * FAST_TILE];
		vnni_rows(p, strip, row, acc);
		vnni_rows(p, strip, row + 8, acc + 8 * FAST_TILE);
		fast_store(p, row, strip * FAST_TILE, acc);
	}
}

/* ---- AMX: a tile's dots of one block are one instruction ---- */

/* Linux gives a thread the tile registers on demand, once its process has asked. */
bool fast_has_amx(void) {
	enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
	return __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("avx512f") &&
	       !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}

struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t bytes[16]; /* of a row */
	uint8_t rows[16];
};

/* Tiles 0 to 3: dots of four row tiles. 4 and 6: rows. 5 and 7: the strip. */
__attribute__((target("amx-tile,amx-int8"))) static void configure(void) {
	struct tile_config c = { .palette = 1 };
	for (int t = 0; t < 8; t++) {
		c.bytes[t] = t == 4 || t == 6 ? EXACT_BLOCK : 64;
		c.rows[t] = t == 5 || t == 7 ? EXACT_BLOCK / 4 : FAST_TILE;
	}
	_tile_loadconfig(&c);
}

/* acc += dots * factors, of 16 rows. */
__attribute__((target("avx512f"))) static inline void add_dots(const struct fast_product *p,
                                                               size_t strip, size_t row, size_t b,
                                                               const int32_t *dots, float *acc) {
	__m512 fb = _mm512_load_ps(p->b.factor + (strip * p->a.blocks + b) * FAST_TILE);
	const float *fa = p->a.factor + b * p->a.padded + row;
	for (int i = 0; i < FAST_TILE; i++) {
		__m512 dot = _mm512_cvtepi32_ps(_mm512_load_si512(dots + i * FAST_TILE));
		__m512 factor = _mm512_mul_ps(_mm512_set1_ps(fa[i]), fb);
		__m512 sum = _mm512_load_ps(acc + i * FAST_TILE);
		_mm512_store_ps(acc + i * FAST_TILE, _mm512_fmadd_ps(dot, factor, sum));
	}
}

/* Two row tiles at a time; the dots of a block are added while the next one's are made. */
__attribute__((target("amx-tile,amx-int8,avx512f"))) static void
amx_rows(const struct fast_product *p, size_t strip, size_t row, bool two, float *acc) {
	size_t blocks = p->a.blocks, stride = blocks * EXACT_BLOCK;
	_Alignas(64) int32_t dots[2][2][FAST_TILE * FAST_TILE];
	const int8_t *x = p->a.bytes + row * stride, *z = two ? x + FAST_TILE * stride : x;
	const int8_t *y = p->b.bytes + strip * stride * FAST_TILE;
	for (size_t b = 0; b <= blocks; b++) {
		if (b < blocks) {
			_tile_loadd(4, x + b * EXACT_BLOCK, stride);
			_tile_loadd(6, z + b * EXACT_BLOCK, stride);
			_tile_loadd(5, y + b * EXACT_BLOCK * FAST_TILE, 64);
			_tile_zero(0);
			_tile_zero(1);
			_tile_dpbssd(0, 4, 5);
			_tile_dpbssd(1, 6, 5);
			_tile_stored(0, dots[b % 2][0], 64);
			_tile_stored(1, dots[b % 2][1], 64);
		}
		if (!b)
			continue;
		add_dots(p, strip, row, b - 1, dots[(b - 1) % 2][0], acc);
		if (two)
			add_dots(p, strip, row + FAST_TILE, b - 1, dots[(b - 1) % 2][1],
			         acc + FAST_TILE * FAST_TILE);
	}
}

void fast_int8_amx(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	configure();
	for (size_t row = first; row < end; row += 2 * FAST_TILE) {
		_Alignas(64) float acc[2 * FAST_TILE * FAST_TILE] = { 0 };
		bool two = row + FAST_TILE < end;
		amx_rows(p, strip, row, two, acc);
		fast_store(p, row, strip * FAST_TILE, acc);
		if (two)
			fast_store(p, row + FAST_TILE, strip * FAST_TILE,
			           acc + FAST_TILE * FAST_TILE);
	}
}

#else

bool fast_has_vnni(void) {
	return false;
}
bool fast_has_amx(void) {
	return false;
}
void fast_int8_vnni(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	fast_int8_plain(p, strip, first, end);
}
void fast_int8_amx(const struct fast_product *p, size_t strip, size_t first, size_t end) {
	fast_int8_plain(p, strip, first, end);
}

#endif
