/* Faults of kernels, as changes of a right result or of its operands, one function for each. */
#ifndef FAULTS_H
#define FAULTS_H

#include "fault_scene.h"

/* ---- numbers ---- */

static void n1(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RTZ, s->acc[i]);
}

static void n2(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded("BF16", EXACT_RNE, s->acc[i]);
}

/* Quantises A's unquantised numbers again, by another rule. */
static void requantise(struct scene *s, mx_recipe recipe, mx_rounding rounding) {
	const mx_f32 *x = (const mx_f32 *)s->b->data.a;
	for (size_t r = 0; x && r < M; r++)
		for (size_t b = 0; b < BLOCKS; b++) {
			const mx_f32 *block = x + r * K + b * 32;
			mx_f32 amax = { 0 };
			for (size_t i = 0; i < 32; i++)
				if ((block[i].v & 0x7fffffff) > amax.v)
					amax.v = block[i].v & 0x7fffffff;
			mx_e8m0 scale = mx_scale(recipe, MX_E2M1, amax);
			s->a.scales[r * s->a.ld_scales + b] = scale.v;
			for (size_t i = 0; i < 32; i++)
				mx_elem_set(MX_E2M1, s->a.codes + r * s->a.ld, b * 32 + i,
				            mx_scaled_encode(recipe, MX_E2M1, block[i], scale,
				                             rounding, 0));
		}
	compute(s);
}

static void n3(struct scene *s) {
	requantise(s, MX_RECIPE_FLOOR, MX_RNA);
}

static void n6(struct scene *s) {
	requantise(s, MX_RECIPE_EVEN, MX_RNE);
}

/* Saturated elements become NaN. */
static void n4(struct scene *s) {
	for (size_t i = 0; i < M * K; i++)
		if ((s->a.codes[i] & 0x7f) >= 0x7d)
			s->a.codes[i] |= 0x7f;
	compute(s);
}

static void scale_for(struct side *s, uint8_t byte, uint8_t other) {
	for (size_t r = 0; r < s->rows; r++)
		for (size_t b = 0; b < BLOCKS; b++)
			if (s->scales[r * s->ld_scales + b] == byte)
				s->scales[r * s->ld_scales + b] = other;
}

static void n5_one(struct scene *s) {
	scale_for(&s->a, 0, 127);
	compute(s);
}

static void n5_nan(struct scene *s) {
	scale_for(&s->a, 0xff, 127);
	scale_for(&s->x, 0xff, 127);
	compute(s);
}

static uint32_t sign(const struct scene *s) {
	return strcmp(s->output, "FP32") ? 0x8000 : 0x80000000u;
}

static void n7(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		if (s->out[i] == sign(s))
			s->out[i] = 0;
}

static void n8_lost(struct scene *s) {
	memset(s->out, 0, sizeof s->out);
	for (unsigned i = 0; i < s->b->plan.splits; i++)
		if (i != 2)
			add_split(s, i);
}

static void n8_doubled(struct scene *s) {
	add_split(s, 1);
}

static void n8_not_cleared(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = 0x4040; /* 3, from an earlier launch */
	for (unsigned i = 0; i < s->b->plan.splits; i++)
		add_split(s, i);
}

/* The whole sum in f32, rounded once: more exact than any order of atomics, and so none of them. */
static void n8_no_order(struct scene *s) {
	struct exact_gemm g = gemm(s);
	need(exact_product(&g, s->acc) == EXACT_OK, "product");
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RNE, s->acc[i]);
}

static void forget(struct scene *s, size_t row, size_t col) {
	s->out[row * N + col] = strcmp(s->output, "FP32") ? 0xffff : 0xffffffff;
	s->unwritten[row * N + col] = true;
}

static void n9(struct scene *s) {
	for (size_t r = 16; r < 32; r++)
		for (size_t c = 32; c < 48; c++)
			forget(s, r, c);
}

/* ---- addressing ---- */

enum { WRAP = 48 }; /* the first row whose offset does not fit */

static void a4_stores(struct scene *s) {
	for (size_t r = WRAP; r < M; r++)
		for (size_t c = 0; c < N; c++) {
			s->out[(r - WRAP) * N + c] = s->out[r * N + c];
			forget(s, r, c);
		}
}

static void a4_loads(struct scene *s) {
	memcpy(s->a.codes + WRAP * s->a.ld, s->a.codes, (M - WRAP) * s->a.ld);
	compute(s);
}

/* A bound of 0 bytes: every load gives 0. */
static void a6(struct scene *s) {
	memset(s->a.codes, 0, sizeof s->a.codes);
	compute(s);
}

/* Waves past M write their rows into LDS over the first rows of B. */
static void a11(struct scene *s) {
	memcpy(s->x.codes, s->a.codes + (M - 16) * s->a.ld, 16 * s->a.ld);
	compute(s);
}

/* ---- a step of 128 past the end of K ---- */

enum { STEP = 128 };

/* Rows with space for one more step: zeros, and scales of 1. */
static void lengthen(struct side *s) {
	static uint8_t codes[sizeof s->codes], scales[sizeof s->scales];
	size_t more = strcmp(s->format, "E2M1") ? STEP : STEP / 2;
	memcpy(codes, s->codes, sizeof codes);
	memcpy(scales, s->scales, sizeof scales);
	memset(s->codes, 0, sizeof s->codes);
	memset(s->scales, 127, sizeof s->scales);
	for (size_t r = 0; r < s->rows; r++) {
		memcpy(s->codes + r * (s->ld + more), codes + r * s->ld, s->ld);
		memcpy(s->scales + r * (BLOCKS + STEP / 32), scales + r * s->ld_scales, BLOCKS);
	}
	s->ld += more;
	s->ld_scales = BLOCKS + STEP / 32;
}

/* The step after the end of row r reads the first step of row `from`. */
static void fill_step(struct side *s, size_t r, size_t from) {
	size_t bytes = strcmp(s->format, "E2M1") ? STEP : STEP / 2;
	memcpy(s->codes + (r + 1) * s->ld - bytes, s->codes + from * s->ld, bytes);
	memcpy(s->scales + r * s->ld_scales + BLOCKS, s->scales + from * s->ld_scales, STEP / 32);
}

static void compute_longer(struct scene *s) {
	struct exact_gemm g = gemm(s);
	g.k += STEP;
	need(exact_profile(&g, "block32", STEP, s->acc) == EXACT_OK, "profile");
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RNE, s->acc[i]);
}

static void a7(struct scene *s) {
	lengthen(&s->a);
	lengthen(&s->x);
	for (size_t r = 0; r < M; r++)
		fill_step(&s->a, r, 0);
	for (size_t r = 0; r < N; r++)
		fill_step(&s->x, r, 0);
	compute_longer(s);
}

/* Codes are masked past the end of K, scales are not: they are poison. */
static void a9(struct scene *s) {
	lengthen(&s->a);
	lengthen(&s->x);
	for (size_t r = 0; r < M; r++)
		memset(s->a.scales + r * s->a.ld_scales + BLOCKS, MX_POISON, STEP / 32);
	compute_longer(s);
}

static void a14(struct scene *s) {
	lengthen(&s->a);
	lengthen(&s->x);
	for (size_t r = 0; r < M; r++)
		fill_step(&s->a, r, (r + 1) % M);
	for (size_t r = 0; r < N; r++)
		fill_step(&s->x, r, (r + 1) % N);
	compute_longer(s);
}

static void a5(struct scene *s) {
	for (size_t r = M - 3; r < M; r++)
		for (size_t c = 0; c < N; c++)
			forget(s, r, c);
}

/* The second half of K takes its scales at offsets of elements: in the next row. */
static void a8(struct scene *s) {
	static uint8_t old[sizeof s->a.scales];
	memcpy(old, s->a.scales, sizeof old);
	for (size_t r = 0; r < M; r++)
		for (size_t b = BLOCKS / 2; b < BLOCKS; b++)
			s->a.scales[r * s->a.ld_scales + b] =
				old[(r + 1) % M * s->a.ld_scales + b - BLOCKS / 2];
	compute(s);
}

static void clear_block(struct side *s, size_t row, size_t block) {
	size_t bytes = strcmp(s->format, "E2M1") ? 32 : 16;
	memset(s->codes + row * s->ld + block * bytes, 0, bytes);
}

static void a10_tail(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		clear_block(&s->a, r, BLOCKS - 1);
	compute(s);
}

/* A block counted twice: its scales are doubled. */
static void a10_double(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		s->a.scales[r * s->a.ld_scales + 3] += s->a.scales[r * s->a.ld_scales + 3] < 0xfe;
	compute(s);
}

static void a12(struct scene *s) {
	for (size_t c = 0; c < N; c++)
		s->out[(M - 1) * N + c] = s->out[(M - 2) * N + c];
}

/* A zero element beside a scale of 0xFF, past the end of K. */
static void a13(struct scene *s) {
	for (size_t c = 0; c < N; c++)
		s->out[20 * N + c] = rounded(s->output, EXACT_RNE, 0x7fc00000);
}

/* ---- layouts ---- */

static void l1(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		memmove(s->a.scales + r * s->a.ld_scales + 8, s->a.scales + r * s->a.ld_scales + 5,
		        BLOCKS - 8);
	compute(s);
}

static void l2(struct scene *s) {
	static uint8_t old[sizeof s->a.scales];
	memcpy(old, s->a.scales, sizeof old);
	for (size_t r = 0; r < M; r++)
		for (size_t b = 0; b < BLOCKS; b++)
			s->a.scales[r * s->a.ld_scales + b] = old[r * (BLOCKS - 1) + b];
	compute(s);
}

/* Padding is 0xFF instead of 0: the last block of some rows. */
static void l3(struct scene *s) {
	for (size_t r = 0; r < M; r += 16)
		s->a.scales[r * s->a.ld_scales + BLOCKS - 1] = 0xff;
	compute(s);
}

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n) {
	for (size_t i = 0; i < n; i++) {
		uint8_t t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
}

/* Blocks 1 and 2 of every row are exchanged, their scales are not. */
static void l4(struct scene *s) {
	size_t bytes = strcmp(s->a.format, "E2M1") ? 32 : 16;
	for (size_t r = 0; r < M; r++)
		swap_bytes(s->a.codes + r * s->a.ld + bytes, s->a.codes + r * s->a.ld + 2 * bytes,
		           bytes);
	compute(s);
}

static void l5(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		for (size_t b = 0; b < BLOCKS; b++)
			s->a.scales[r * s->a.ld_scales + b] =
				s->a.scales[r * s->a.ld_scales + b / 4 * 4];
	compute(s);
}

/* From K = 128 the operands' roles are exchanged. */
static void l6(struct scene *s) {
	size_t bytes = strcmp(s->a.format, "E2M1") ? 32 : 16;
	for (size_t r = 0; r < N; r++) {
		swap_bytes(s->a.codes + r * s->a.ld + 4 * bytes,
		           s->x.codes + r * s->x.ld + 4 * bytes, (BLOCKS - 4) * bytes);
		swap_bytes(s->a.scales + r * s->a.ld_scales + 4,
		           s->x.scales + r * s->x.ld_scales + 4, BLOCKS - 4);
	}
	compute(s);
	memcpy(s->out + N * N, s->right + N * N, (M - N) * N * sizeof *s->out);
}

static void l7(struct scene *s) {
	for (size_t r = 64; r < M; r++)
		memcpy(s->a.scales + r * s->a.ld_scales, s->a.scales + (r - 64) * s->a.ld_scales,
		       BLOCKS);
	compute(s);
}

static void l8(struct scene *s) {
	s->a.format = "E5M2";
	compute(s);
}

static void l8_small(struct scene *s) {
	l8(s);
}

static void l9(struct scene *s) {
	for (size_t r = M / 32 * 32; r < M; r++)
		memset(s->a.scales + r * s->a.ld_scales, 0, BLOCKS);
	compute(s);
}

static void l10(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		for (size_t b = 0; b + 1 < BLOCKS; b += 2)
			swap_bytes(s->a.scales + r * s->a.ld_scales + b,
			           s->a.scales + r * s->a.ld_scales + b + 1, 1);
	compute(s);
}

/* Each lane has `step` / lanes contiguous bytes of K, where the instruction has 16 of each half:
 * its chunk (half, lane) holds what is (lane, half) in memory. */
static void lanes_contiguous(struct side *x, size_t step) {
	static uint8_t was[sizeof x->codes];
	memcpy(was, x->codes, sizeof was);
	for (size_t i = 0; i < x->rows * K; i++) {
		size_t k = i % K % step, half = k / (step / 2), lane = k % (step / 2) / 16;
		x->codes[i] = was[i - k + 32 * lane + 16 * half + k % 16];
	}
}

static void l10_lane(struct scene *s) {
	lanes_contiguous(&s->a, 128);
	lanes_contiguous(&s->x, 128);
	compute(s);
}

static void l10_lane_64(struct scene *s) {
	lanes_contiguous(&s->a, 64);
	lanes_contiguous(&s->x, 64);
	compute(s);
}

/* An element in f32, which may overflow. */
static float element_of(const struct side *x, size_t row, size_t k) {
	bool fp4 = !strcmp(x->format, "E2M1");
	uint8_t byte = x->codes[row * x->ld + (fp4 ? k / 2 : k)], scale;
	uint32_t code = fp4 ? byte >> 4 * (k & 1) & 15 : byte, bits;
	float f;
	exact_decode(x->format, code, &bits);
	memcpy(&f, &bits, sizeof f);
	scale = x->scales[row * x->ld_scales + k / 32];
	return scale == 0xff ? NAN : (float)ldexp((double)f, scale - 127);
}

/* By hand: a kernel that multiplies f32. */
static void dequantise(struct scene *s) {
	static float a[M * K], x[N * K];
	for (size_t i = 0; i < M * K; i++)
		a[i] = element_of(&s->a, i / K, i % K);
	for (size_t i = 0; i < N * K; i++)
		x[i] = element_of(&s->x, i / K, i % K);
	for (size_t i = 0; i < M * N; i++) {
		float sum = 0;
		bool any = false;
		for (size_t k = 0; k < K; k++) {
			float y = a[i / N * K + k], z = x[i % N * K + k];
			any |= isinf(y) || isinf(z);
			sum += y * z;
		}
		if (any)
			memcpy(&s->out[i], &sum, sizeof sum);
	}
}

/* FP8: k = 16..31 of a block is in another lane and gets the scale of that lane: that of the next
 * block, for every second half. By hand: half the elements times a power of two. */
static void l10_fp8(struct scene *s) {
	static uint8_t half[sizeof s->a.codes], scales[sizeof s->a.scales];
	static uint32_t low[M * N];
	memcpy(half, s->a.codes, sizeof half);
	memcpy(scales, s->a.scales, sizeof scales);
	for (size_t i = 0; i < M * K; i++)
		if (i % 32 >= 16)
			s->a.codes[i] = 0;
	compute(s);
	memcpy(low, s->acc, sizeof low);
	for (size_t i = 0; i < M * K; i++)
		s->a.codes[i] = i % 32 >= 16 ? half[i] : 0;
	for (size_t r = 0; r < M; r++)
		memmove(s->a.scales + r * s->a.ld_scales, scales + r * s->a.ld_scales + 1,
		        BLOCKS - 1);
	compute(s);
	for (size_t i = 0; i < M * N; i++) {
		float sum = value("FP32", low[i]) + value("FP32", s->acc[i]);
		memcpy(&s->out[i], &sum, sizeof sum);
	}
}

static void l11(struct scene *s) {
	for (size_t i = 0; i < M * s->a.ld; i++)
		s->a.codes[i] = (uint8_t)(s->a.codes[i] << 4 | s->a.codes[i] >> 4);
	compute(s);
}

/* ---- harness ---- */

/* Data without negative signs does not detect it. */
static void h4_sign(struct scene *s) {
	uint8_t magnitude = strcmp(s->a.format, "E2M1") ? 0x7f : 0x77;
	for (size_t i = 0; i < M * s->a.ld; i++)
		s->a.codes[i] &= magnitude;
	compute(s);
}

/* The code of 6 decoded as 4: a reference with the same table would agree with the kernel. */
static void h5(struct scene *s) {
	for (size_t i = 0; i < M * K; i++) {
		uint8_t *byte = &s->a.codes[i / K * s->a.ld + i % K / 2];
		unsigned shift = i % 2 * 4;
		if ((*byte >> shift & 7) == 7)
			*byte = (uint8_t)(*byte & ~(1u << shift)); /* 4 */
	}
	compute(s);
}

static void h7(struct scene *s) {
	for (size_t i = 0; i < 3; i++)
		s->out[i * 777 + 5] = rounded(s->output, EXACT_RNE, 0x3f800000);
}

/* ---- other faults that have a diagnosis ---- */

static void drop_block(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		clear_block(&s->a, r, 7);
	compute(s);
}

static void drop_step(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		for (size_t b = 4; b < 8; b++)
			clear_block(&s->a, r, b);
	compute(s);
}

static void row_off(struct scene *s) {
	memmove(s->out, s->out + N, (M - 1) * N * sizeof *s->out);
}

static void transpose(struct scene *s) {
	static uint32_t old[M * N];
	memcpy(old, s->out, sizeof old);
	for (size_t r = 0; r < N; r++)
		for (size_t c = 0; c < N; c++)
			s->out[r * N + c] = old[c * N + r];
}

static void transpose_tiles(struct scene *s) {
	static uint32_t old[M * N];
	memcpy(old, s->out, sizeof old);
	for (size_t r = 0; r < M; r++)
		for (size_t c = 0; c < N; c++)
			s->out[r * N + c] = old[(r / 16 * 16 + c % 16) * N + c / 16 * 16 + r % 16];
}

static void nothing_added(struct scene *s) {
	memset(s->out, 0, sizeof s->out);
}

static void other_sign(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] ^= sign(s);
}

static void f16_bits(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded("FP16", EXACT_RNE, s->acc[i]);
}

static void ties_away(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RNA, s->acc[i]);
}

static void exchange_scales(struct scene *s) {
	for (size_t r = 0; r < M && r < N; r++)
		swap_bytes(s->a.scales + r * s->a.ld_scales, s->x.scales + r * s->x.ld_scales,
		           BLOCKS);
	compute(s);
}

/* A's rows one block further, and zeros after the last. */
static void block_off(struct scene *s) {
	size_t bytes = strcmp(s->a.format, "E2M1") ? 32 : 16;
	for (size_t r = 0; r < M; r++) {
		uint8_t *codes = s->a.codes + r * s->a.ld,
			*scales = s->a.scales + r * s->a.ld_scales;
		memmove(codes, codes + bytes, (BLOCKS - 1) * bytes);
		memmove(scales, scales + 1, BLOCKS - 1);
		clear_block(&s->a, r, BLOCKS - 1);
	}
	compute(s);
}

static void no_scales(struct scene *s) {
	memset(s->x.scales, 127, sizeof s->x.scales);
	compute(s);
}

static void scale_off(struct scene *s) {
	for (size_t i = 0; i < M * s->a.ld_scales; i++)
		s->a.scales[i] += 3;
	compute(s);
}

static void next_row_scales(struct scene *s) {
	memmove(s->a.scales, s->a.scales + s->a.ld_scales, (M - 1) * s->a.ld_scales);
	compute(s);
}

static void next_block_scale(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		memmove(s->a.scales + r * s->a.ld_scales, s->a.scales + r * s->a.ld_scales + 1,
		        BLOCKS - 1);
	compute(s);
}

static void noise(struct scene *s) {
	uint32_t x = 1;
	for (size_t i = 0; i < M * N; i += 3) {
		x = x * 1664525 + 1013904223;
		s->out[i] ^= 1 + (x >> 8) % 255;
	}
}

#endif
