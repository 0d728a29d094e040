/* Formats with sigs that fit a byte, E2M1 and E2M3: |sig| <= 60, a dot below 2^17. */
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

/* The definition, for any processor. */
static void plain_tile(const struct fast_product *p, size_t strip, size_t tile, float *acc) {
	for (size_t b = 0; b < p->a.blocks; b++) {
		size_t row = tile * p->a.blocks + b, column = strip * p->a.blocks + b;
		const float *fa = p->a.factor + row * FAST_TILE;
		const float *fb = p->b.factor + column * FAST_TILE;
		for (size_t i = 0; i < FAST_TILE; i++)
			for (size_t j = 0; j < FAST_TILE; j++) {
				float *to = &acc[i * FAST_TILE + j];
				int32_t dot =
					dot32(p->a.bytes + row * FAST_ELEMENTS + i * EXACT_BLOCK,
				              p->b.bytes + column * FAST_ELEMENTS + 4 * j);
				*to = fmaf((float)dot, fa[i] * fb[j], *to);
			}
	}
}

void fast_int8_plain(const struct fast_product *p, struct fast_part part) {
	for (size_t strip = part.strip; strip < part.end_strip; strip++)
		for (size_t tile = part.tile; tile < part.end_tile; tile++) {
			float acc[FAST_TILE * FAST_TILE] = { 0 };
			plain_tile(p, strip, tile, acc);
			fast_store(p, tile, strip, acc);
		}
}

#ifdef __x86_64__
#include <immintrin.h>

/* acc += dot * factors. */
__attribute__((target("avx512f"), always_inline)) static inline __m512
add_dots(__m512 acc, __m512i dot, float fa, __m512 fb) {
	__m512 factor = _mm512_mul_ps(_mm512_set1_ps(fa), fb);
	return _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), factor, acc);
}

/* Writes the rows of a tile that are in the matrix; NaN as 0x7FC00000. */
__attribute__((target("avx512f"), always_inline)) static inline void
store_rows(const struct fast_product *p, size_t tile, size_t strip, const __m512 *sum) {
	const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000));
	size_t n = p->b.rows, rows = p->a.rows - tile * FAST_TILE, cols = n - strip * FAST_TILE;
	__mmask16 inside = cols < FAST_TILE ? (__mmask16)((1u << cols) - 1) : 0xffff;
	uint32_t *to = p->out + tile * FAST_TILE * n + strip * FAST_TILE;
#pragma GCC unroll 16
	for (size_t i = 0; i < FAST_TILE; i++) {
		__mmask16 is_nan = _mm512_cmp_ps_mask(sum[i], sum[i], _CMP_UNORD_Q);
		if (i < rows)
			_mm512_mask_storeu_ps(to + i * n, inside,
			                      _mm512_mask_mov_ps(sum[i], is_nan, nan));
	}
}

/* ---- AVX-512 VNNI: a tile's rows, the strip's block in registers ---- */

enum { QUADS = EXACT_BLOCK / 4, LINE = 64 };

__attribute__((target("avx512f"), always_inline)) static inline void
load_column(const int8_t *y, __m512i column[QUADS]) {
#pragma GCC unroll 8
	for (int q = 0; q < QUADS; q++)
		column[q] = _mm512_load_si512(y + LINE * q);
}

/* The instruction multiplies unsigned bytes by signed bytes. Columns are raised by 64, and the
 * start of each dot subtracts the excess. */
__attribute__((target("avx512f,avx512vnni"), always_inline)) static inline __m512i
vnni_dots(const __m512i column[QUADS], const int8_t *row, int32_t lift) {
	__m512i dot = _mm512_set1_epi32(lift);
#pragma GCC unroll 8
	for (int q = 0; q < QUADS; q++) {
		int32_t four;
		memcpy(&four, row + 4 * q, 4);
		dot = _mm512_dpbusd_epi32(dot, column[q], _mm512_set1_epi32(four));
	}
	return dot;
}

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
vnni_tile(const struct fast_product *p, size_t tile, size_t strip) {
	size_t blocks = p->a.blocks;
	const int8_t *x = p->a.bytes + tile * blocks * FAST_ELEMENTS;
	const int8_t *y = p->b.bytes + strip * blocks * FAST_ELEMENTS;
	const float *fa = p->a.factor + tile * blocks * FAST_TILE;
	const float *fb = p->b.factor + strip * blocks * FAST_TILE;
	const int32_t *lift = p->a.lift + tile * blocks * FAST_TILE;
	__m512 sum[FAST_TILE];
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
		sum[i] = _mm512_setzero_ps();
	for (size_t b = 0; b < blocks; b++) {
		__m512i column[QUADS];
		load_column(y, column);
		__m512 factors = _mm512_load_ps(fb);
#pragma GCC unroll 16
		for (int i = 0; i < FAST_TILE; i++) {
			__m512i dot = vnni_dots(column, x + EXACT_BLOCK * i, lift[i]);
			sum[i] = add_dots(sum[i], dot, fa[i], factors);
		}
		x += FAST_ELEMENTS, y += FAST_ELEMENTS;
		fa += FAST_TILE, fb += FAST_TILE, lift += FAST_TILE;
	}
	store_rows(p, tile, strip, sum);
}

void fast_int8_vnni(const struct fast_product *p, struct fast_part part) {
	for (size_t tile = part.tile; tile < part.end_tile; tile++)
		for (size_t strip = part.strip; strip < part.end_strip; strip++)
			vnni_tile(p, tile, strip);
}

/* The factors of a block for any scales; see fast.h. */
struct factors {
	_Alignas(LINE) float row[FAST_TILE];
	__mmask16 large; /* rows that take columns_large */
	__m512 columns, columns_large;
};

__attribute__((target("avx512f"), always_inline)) static inline struct factors
move_large(const float *fa, const float *fb) {
	const __m512 least = _mm512_set1_ps(0x1p111f), most = _mm512_set1_ps(0x1p127f);
	__m512 rows = _mm512_load_ps(fa);
	struct factors f = { .columns = _mm512_load_ps(fb) };
	f.large = _mm512_cmp_ps_mask(rows, least, _CMP_GE_OQ);
	_mm512_store_ps(f.row, _mm512_mask_mul_ps(rows, f.large, rows, _mm512_set1_ps(0x1p-32f)));
	/* if one is NaN, the minimum is the second */
	f.columns_large = _mm512_min_ps(most, _mm512_mul_ps(f.columns, _mm512_set1_ps(0x1p32f)));
	return f;
}

/* acc += dot * factors, or FAST_DOUBT where a zero dot is added to -0. */
__attribute__((target("avx512f,avx512dq"), always_inline)) static inline __m512
add_any_scale(__m512 acc, __m512i dot, const struct factors *f, int row) {
	const __m512i negative_zero = _mm512_castps_si512(_mm512_set1_ps(-0.0f));
	const __m512 doubt = _mm512_castsi512_ps(_mm512_set1_epi32(FAST_DOUBT));
	__mmask16 large = (__mmask16) - (f->large >> row & 1);
	__m512 columns = _mm512_mask_mov_ps(f->columns, large, f->columns_large);
	__m512 rows = _mm512_mul_ps(_mm512_cvtepi32_ps(dot), _mm512_set1_ps(f->row[row]));
	__mmask16 zero = _mm512_testn_epi32_mask(dot, dot);
	__mmask16 lost =
		_mm512_mask_cmpeq_epi32_mask(zero, _mm512_castps_si512(acc), negative_zero);
	return _mm512_mask_mov_ps(_mm512_fmadd_ps(rows, columns, acc), lost, doubt);
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vnni"))) static void
any_scale_tile(const struct fast_product *p, size_t tile, size_t strip) {
	size_t blocks = p->a.blocks, row = tile * blocks, column = strip * blocks;
	_Alignas(LINE) float acc[FAST_TILE * FAST_TILE];
	__m512 sum[FAST_TILE];
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
		sum[i] = _mm512_setzero_ps();
	for (size_t b = 0; b < blocks; b++, row++, column++) {
		const int8_t *x = p->a.bytes + row * FAST_ELEMENTS;
		const int32_t *lift = p->a.lift + row * FAST_TILE;
		struct factors f =
			move_large(p->a.factor + row * FAST_TILE, p->b.factor + column * FAST_TILE);
		__m512i quads[QUADS];
		load_column(p->b.bytes + column * FAST_ELEMENTS, quads);
#pragma GCC unroll 16
		for (int i = 0; i < FAST_TILE; i++)
			sum[i] = add_any_scale(
				sum[i], vnni_dots(quads, x + EXACT_BLOCK * i, lift[i]), &f, i);
	}
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
		_mm512_store_ps(acc + i * FAST_TILE, sum[i]);
	fast_store(p, tile, strip, acc);
}

void fast_any_scale_vnni(const struct fast_product *p, struct fast_part part) {
	for (size_t tile = part.tile; tile < part.end_tile; tile++)
		for (size_t strip = part.strip; strip < part.end_strip; strip++)
			any_scale_tile(p, tile, strip);
}

/* ---- AMX: a tile's dots of one block are one instruction ---- */

struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t bytes[16]; /* of a row */
	uint8_t rows[16];
};

/* The compiler assumes that only the first word is read; the rest must be in memory too. */
__attribute__((target("amx-tile,amx-int8"))) void fast_amx_configure(unsigned rows,
                                                                     unsigned columns) {
	struct tile_config c = { .palette = 1 };
	for (int t = 0; t < 8; t++) {
		c.bytes[t] = rows >> t & 1 ? EXACT_BLOCK : 64;
		c.rows[t] = columns >> t & 1 ? EXACT_BLOCK / 4 : FAST_TILE;
	}
	__asm__ volatile("" : : "r"(&c) : "memory");
	_tile_loadconfig(&c);
}

/* Tiles 0 to 3: dots of four blocks. 4 and 6: rows. 5 and 7: the strip. */

/* Computes block n's dots in tile c from tiles x and y. They are stored one block later and added
 * two blocks later, so that neither waits. */
#define MAKE(c, x, y, n)                                                                           \
	if ((n) < blocks) {                                                                        \
		_tile_loadd(x, a + (n)*FAST_ELEMENTS, EXACT_BLOCK);                                \
		_tile_loadd(y, b + (n)*FAST_ELEMENTS, 64);                                         \
		_tile_zero(c);                                                                     \
		_tile_dpbssd(c, x, y);                                                             \
	}
#define TAKE(c, n)                                                                                 \
	if ((n) < blocks)                                                                          \
		_tile_stored(c, dots[c], 64);
#define ADD(c, n)                                                                                  \
	if ((n) < blocks) {                                                                        \
		__m512 factors = _mm512_load_ps(fb + (n)*FAST_TILE);                               \
		_Pragma("GCC unroll 16") for (int i = 0; i < FAST_TILE; i++) sum[i] =              \
			add_dots(sum[i], _mm512_load_si512(dots[c] + i * FAST_TILE),               \
		                 fa[(n)*FAST_TILE + i], factors);                                  \
	}
#define STEP(made, x, y, taken, added)                                                             \
	MAKE(made, x, y, n + 2)                                                                    \
	TAKE(taken, n + 1)                                                                         \
	ADD(added, n)                                                                              \
	n++;

__attribute__((target("amx-tile,amx-int8,avx512f"))) static void
amx_tile(const struct fast_product *p, size_t tile, size_t strip) {
	size_t blocks = p->a.blocks;
	const int8_t *a = p->a.bytes + tile * blocks * FAST_ELEMENTS;
	const int8_t *b = p->b.bytes + strip * blocks * FAST_ELEMENTS;
	const float *fa = p->a.factor + tile * blocks * FAST_TILE;
	const float *fb = p->b.factor + strip * blocks * FAST_TILE;
	_Alignas(64) int32_t dots[4][FAST_TILE * FAST_TILE];
	__m512 sum[FAST_TILE];
#pragma GCC unroll 16
	for (int i = 0; i < FAST_TILE; i++)
		sum[i] = _mm512_setzero_ps();
	MAKE(0, 4, 5, 0)
	MAKE(1, 6, 7, 1)
	TAKE(0, 0)
	for (size_t n = 0; n < blocks;) {
		STEP(2, 4, 5, 1, 0)
		STEP(3, 6, 7, 2, 1)
		STEP(0, 4, 5, 3, 2)
		STEP(1, 6, 7, 0, 3)
	}
	store_rows(p, tile, strip, sum);
}

void fast_int8_amx(const struct fast_product *p, struct fast_part part) {
	fast_amx_configure(1 << 4 | 1 << 6, 1 << 5 | 1 << 7);
	for (size_t tile = part.tile; tile < part.end_tile; tile++)
		for (size_t strip = part.strip; strip < part.end_strip; strip++)
			amx_tile(p, tile, strip);
}

#else

void fast_int8_vnni(const struct fast_product *p, struct fast_part part) {
	fast_int8_plain(p, part);
}
void fast_int8_amx(const struct fast_product *p, struct fast_part part) {
	fast_int8_plain(p, part);
}
void fast_any_scale_vnni(const struct fast_product *p, struct fast_part part) {
	(void)p, (void)part;
}

#endif
