/* Known faults of GEMM kernels: changes to one element's operands. */
#include "fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32, WORD = 4 };

/* ---- blocks of K ---- */

static void zero_block(struct mx_element_product *e, unsigned side, size_t block) {
	memset(e->codes[side] + block * e->block_bytes[side], 0, e->block_bytes[side]);
}

/* A block that is not multiplied contributes no NaN of its scale either. */
static bool drop(struct mx_element_product *e, size_t first, size_t n) {
	for (size_t i = first; i < first + n && i < e->blocks; i++)
		for (unsigned s = 0; s < 2; s++) {
			zero_block(e, s, i);
			e->scales[s][i] = 127;
		}
	return first < e->blocks;
}

static bool drop_block(struct mx_element_product *e, unsigned side, long block) {
	(void)side;
	return drop(e, (size_t)block, 1);
}

/* Steps of a kernel's K loop, in blocks. */
static bool drop_step(struct mx_element_product *e, long step, size_t size) {
	return (size_t)step * size < e->blocks && e->blocks > size &&
	       drop(e, (size_t)step * size, size);
}

static bool drop_128(struct mx_element_product *e, unsigned side, long step) {
	(void)side;
	return drop_step(e, step, 4);
}

static bool drop_256(struct mx_element_product *e, unsigned side, long step) {
	(void)side;
	return drop_step(e, step, 8);
}

static void insert(uint8_t *at, size_t bytes, size_t moved) {
	memmove(at + bytes, at, moved);
}

static bool repeat(struct mx_element_product *e, size_t first, size_t n) {
	if (first + n > e->blocks)
		return false;
	for (unsigned s = 0; s < 2; s++) {
		size_t w = e->block_bytes[s];
		insert(e->codes[s] + first * w, n * w, (e->blocks - first) * w);
		insert(e->scales[s] + first, n, e->blocks - first);
	}
	e->one.k += n * BLOCK;
	return true;
}

static bool repeat_block(struct mx_element_product *e, unsigned side, long block) {
	(void)side;
	return repeat(e, (size_t)block, 1);
}

static bool repeat_128(struct mx_element_product *e, unsigned side, long step) {
	(void)side;
	return repeat(e, (size_t)step * 4, 4);
}

static bool repeat_256(struct mx_element_product *e, unsigned side, long step) {
	(void)side;
	return repeat(e, (size_t)step * 8, 8);
}

/* Codes and scales of a neighbouring block of K; zeros beyond the ends. */
static bool shift_codes(struct mx_element_product *e, unsigned side, long by) {
	size_t w = e->block_bytes[side], n = e->blocks;
	if (by != 1 && by != -1)
		return false;
	if (by == 1) {
		memmove(e->codes[side], e->codes[side] + w, (n - 1) * w);
		memmove(e->scales[side], e->scales[side] + 1, n - 1);
		zero_block(e, side, n - 1);
	} else {
		memmove(e->codes[side] + w, e->codes[side], (n - 1) * w);
		memmove(e->scales[side] + 1, e->scales[side], n - 1);
		zero_block(e, side, 0);
	}
	return n > 1;
}

/* ---- scales ---- */

/* The scale of block + by. Past the end of a row without padding: the next row's scale. */
static bool scale_of_other_block(struct mx_element_product *e, unsigned side, long by) {
	const struct exact_operand *o = mx_element_operand(&e->whole, side);
	size_t rows = side ? e->whole.n : e->whole.m, row = side ? e->col : e->row;
	bool changed = false;
	if ((size_t)labs(by) >= e->blocks)
		return false;
	for (size_t i = 0; i < e->blocks; i++) {
		long from = (long)i + by;
		bool inside = from >= 0 && (size_t)from < e->blocks;
		if (!inside && (from < 0 || row + 1 == rows || o->ld_scales != e->blocks))
			continue;
		uint8_t scale = o->scales[row * o->ld_scales + (size_t)from];
		changed |= scale != e->scales[side][i];
		e->scales[side][i] = scale;
	}
	return changed;
}

static bool scale_of_other_row(struct mx_element_product *e, unsigned side, long by) {
	const struct exact_operand *o = mx_element_operand(&e->whole, side);
	long row = (long)(side ? e->col : e->row) + by,
	     rows = (long)(side ? e->whole.n : e->whole.m);
	if (row < 0 || row >= rows)
		return false;
	memcpy(e->scales[side], o->scales + (size_t)row * o->ld_scales, e->blocks);
	return true;
}

/* All blocks of a word of four scales have its byte `byte`. */
static bool scale_byte(struct mx_element_product *e, unsigned side, long byte) {
	const struct exact_operand *o = mx_element_operand(&e->whole, side);
	const uint8_t *scales = o->scales + (side ? e->col : e->row) * o->ld_scales;
	for (size_t i = 0; i < e->blocks; i++)
		if (i / WORD * WORD + (size_t)byte < e->blocks)
			e->scales[side][i] = scales[i / WORD * WORD + (size_t)byte];
	return byte < WORD && e->blocks > 1;
}

/* The bytes of a scale word are permuted: block i has the scale of i ^ n. */
static bool scale_exchanged(struct mx_element_product *e, unsigned side, long n) {
	const struct exact_operand *o = mx_element_operand(&e->whole, side);
	const uint8_t *scales = o->scales + (side ? e->col : e->row) * o->ld_scales;
	for (size_t i = 0; i < e->blocks; i++)
		if ((i ^ (size_t)n) < e->blocks)
			e->scales[side][i] = scales[i ^ (size_t)n];
	return n > 0 && n < WORD && e->blocks > 1;
}

static bool scales_cleared(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	memset(e->scales[side], 0, e->blocks);
	return true;
}

static bool no_scales(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	memset(e->scales[side], 127, e->blocks);
	return true;
}

/* Replaces a scale byte by another, or makes its block zero (as < 0). */
static bool replace_scale(struct mx_element_product *e, unsigned side, uint8_t byte, int as) {
	bool any = false;
	for (size_t i = 0; i < e->blocks; i++) {
		if (e->scales[side][i] != byte)
			continue;
		any = true;
		e->scales[side][i] = as < 0 ? 127 : (uint8_t)as;
		if (as < 0)
			zero_block(e, side, i);
	}
	return any;
}

/* Changes the block's scale of A if possible, else of B: the product is the same. */
static bool change_scale(struct mx_element_product *e, long block, int by) {
	for (unsigned side = 0; side < 2; side++) {
		int scale = e->scales[side][block] + by;
		if (scale < 0 || scale > 0xfe || e->scales[side][block] == 0xff)
			continue;
		e->scales[side][block] = (uint8_t)scale;
		return true;
	}
	return false;
}

static bool scale_high(struct mx_element_product *e, unsigned side, long block) {
	(void)side;
	return change_scale(e, block, 1);
}

static bool scale_low(struct mx_element_product *e, unsigned side, long block) {
	(void)side;
	return change_scale(e, block, -1);
}

static bool zero_scale_is_zero(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	return replace_scale(e, side, 0, -1);
}

static bool zero_scale_is_one(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	return replace_scale(e, side, 0, 127);
}

/* On both sides: a NaN of the other side would hide the effect. */
static bool nan_scale_is(struct mx_element_product *e, int as) {
	bool a = replace_scale(e, 0, 0xff, as), b = replace_scale(e, 1, 0xff, as);
	return a || b;
}

static bool nan_scale_is_zero(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return nan_scale_is(e, -1);
}

static bool nan_scale_is_one(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return nan_scale_is(e, 127);
}

static bool nan_scale_is_0xfe(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return nan_scale_is(e, 0xfe);
}

/* ---- codes ---- */

static bool swap_nibbles(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	if (e->block_bytes[side] != 16)
		return false;
	for (size_t i = 0; i < e->blocks * 16; i++)
		e->codes[side][i] = (uint8_t)(e->codes[side][i] << 4 | e->codes[side][i] >> 4);
	return true;
}

static bool other_format(struct mx_element_product *e, unsigned side, long parameter) {
	struct exact_operand *o = side ? &e->one.b : &e->one.a;
	static const char *const pairs[][2] = { { "E4M3", "E5M2" }, { "E2M3", "E3M2" } };
	(void)parameter;
	for (unsigned p = 0; p < 2; p++)
		for (unsigned i = 0; i < 2; i++)
			if (!strcmp(o->format, pairs[p][i])) {
				o->format = pairs[p][1 - i];
				return true;
			}
	return false;
}

/* An FP8 lane holds 16 codes of each half of a step of K [ISA 7.1.5], so the 32 codes of a scale
 * are in two lanes. A faulty kernel gives each lane 32 contiguous codes and their scale. Its
 * products are right, in another order, but their scales are not. With 4 lanes, block b of the
 * instruction has 16 codes, from 16 (b / 2) on, of each of lanes 2 (b % 2) and 2 (b % 2) + 1. With
 * 2 lanes it has 16 codes of each lane, from 16 b on. */
static bool lane_contiguous(struct mx_element_product *e, size_t lanes) {
	enum { HALF = 16 };
	size_t steps = (e->blocks + lanes - 1) / lanes;
	uint8_t was[4 * BLOCK];
	if (e->block_bytes[0] != BLOCK || e->block_bytes[1] != BLOCK)
		return false;
	for (size_t i = e->blocks; i < steps * lanes; i++)
		for (unsigned s = 0; s < 2; s++) {
			zero_block(e, s, i);
			e->scales[s][i] = 127;
		}
	for (size_t i = 0; i < 2 * steps; i++) {
		uint8_t *step = e->codes[i % 2] + i / 2 * lanes * BLOCK;
		memcpy(was, step, lanes * BLOCK);
		for (size_t c = 0; c < 2 * lanes; c++)
			memcpy(step + (c % 2 * lanes + c / 2) * HALF, was + c * HALF, HALF);
	}
	e->one.k = steps * lanes * BLOCK;
	return true;
}

static bool lane_contiguous_128(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return lane_contiguous(e, 4);
}

static bool lane_contiguous_64(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return lane_contiguous(e, 2);
}

/* ---- dequantised first ---- */

static double value_of(const struct mx_element_product *e, unsigned side, size_t i) {
	const char *format = mx_element_operand(&e->one, side)->format;
	size_t bits = e->block_bytes[side] * 8 / BLOCK, bit = i * bits;
	const uint8_t *at = e->codes[side] + bit / 8;
	unsigned word = (unsigned)at[0] | (bit % 8 + bits > 8 ? (unsigned)at[1] << 8 : 0);
	uint32_t f32;
	float f;
	exact_decode(format, word >> bit % 8 & ((1u << bits) - 1), &f32);
	memcpy(&f, &f32, sizeof f);
	return e->scales[side][i / BLOCK] == 0xff
	               ? NAN
	               : ldexp((double)f, e->scales[side][i / BLOCK] - 127);
}

/* As f32 or bf16 it is infinite. */
static bool is_beyond(double x) {
	return isfinite(x) && fabs(x) >= 0x1p128;
}

/* The product of the largest numbers, which is infinite, or NaN. */
static void make_infinite(struct mx_element_product *e, bool is_nan, bool negative) {
	for (unsigned s = 0; s < 2; s++) {
		unsigned bits = e->block_bytes[s] * 8 / BLOCK;
		for (size_t i = 0; i < e->blocks; i++)
			zero_block(e, s, i);
		e->codes[s][0] = (uint8_t)(1u << (bits - 2) | (!s && negative) << (bits - 1));
		memset(e->scales[s], 127, e->blocks);
		e->scales[s][0] = is_nan ? 0xff : 0xfe;
	}
}

/* Infinite elements make the sum infinite, and NaN if their signs differ or they meet a zero. */
static bool overflows(struct mx_element_product *e, unsigned sides) {
	enum { LEAST = 127 + 112 }; /* no element is 2^16 or more */
	double sum = 0;
	bool any = false;
	for (size_t i = 0; i < 2 * e->blocks; i++)
		any |= sides >> i % 2 & 1 && e->scales[i % 2][i / 2] >= LEAST;
	size_t n = any ? e->blocks * BLOCK : 0;
	any = false;
	for (size_t i = 0; i < n; i++) {
		double x[2] = { value_of(e, 0, i), value_of(e, 1, i) };
		for (unsigned s = 0; s < 2; s++) {
			bool beyond = sides >> s & 1 && is_beyond(x[s]);
			any |= beyond;
			x[s] = beyond ? copysign(INFINITY, x[s]) : x[s];
		}
		sum += isfinite(x[0] * x[1]) ? 0 : x[0] * x[1];
	}
	if (any)
		make_infinite(e, isnan(sum), signbit(sum));
	return any;
}

static bool dequantised_overflow(struct mx_element_product *e, unsigned side, long parameter) {
	(void)parameter;
	return overflows(e, 1u << side);
}

static bool both_dequantised_overflow(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	return overflows(e, 3);
}

/* ---- which rows ---- */

static bool other_row(struct mx_element_product *e, unsigned side, long by) {
	long row = (long)(side ? e->col : e->row) + by,
	     rows = (long)(side ? e->whole.n : e->whole.m);
	if (row < 0 || row >= rows)
		return false;
	mx_element_take(e, side, (size_t)row);
	return true;
}

/* Rows i and i ^ by are exchanged. */
static bool rows_exchanged(struct mx_element_product *e, unsigned side, long by) {
	long row = (long)(side ? e->col : e->row);
	return by > 0 && other_row(e, side, (row ^ by) - row);
}

static bool transposed(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	if (e->col >= e->whole.m || e->row >= e->whole.n || e->row == e->col)
		return false;
	mx_element_take(e, 0, e->col);
	mx_element_take(e, 1, e->row);
	return true;
}

/* From a step of 128 on. */
static bool transposed_from(struct mx_element_product *e, unsigned side, long step) {
	size_t from = (size_t)step * 4;
	size_t at[2] = { e->row, e->col };
	(void)side;
	if (from >= e->blocks || !step || e->col >= e->whole.m || e->row >= e->whole.n)
		return false;
	for (unsigned s = 0; s < 2; s++) {
		const struct exact_operand *o = mx_element_operand(&e->whole, 1 - s);
		size_t w = e->block_bytes[s];
		if (w != e->block_bytes[1 - s])
			return false;
		memcpy(e->codes[s] + from * w, o->codes + at[s] * o->ld + from * w,
		       (e->blocks - from) * w);
		memcpy(e->scales[s] + from, o->scales + at[s] * o->ld_scales + from,
		       e->blocks - from);
	}
	return true;
}

/* The codes of a block and the next are exchanged, their scales are not. */
static bool exchanged(struct mx_element_product *e, unsigned side, long block) {
	size_t w = e->block_bytes[side];
	uint8_t t[MX_BLOCK_BYTES], *x = e->codes[side] + (size_t)block * w;
	if ((size_t)block + 1 >= e->blocks)
		return false;
	memcpy(t, x, w);
	memcpy(x, x + w, w);
	memcpy(x + w, t, w);
	return true;
}

/* Row and column are exchanged within a 16x16 tile. */
static bool transposed_tile(struct mx_element_product *e, unsigned side, long parameter) {
	size_t row = e->row / 16 * 16 + e->col % 16, col = e->col / 16 * 16 + e->row % 16;
	(void)side, (void)parameter;
	if (row >= e->whole.m || col >= e->whole.n || row == e->row)
		return false;
	mx_element_take(e, 0, row);
	mx_element_take(e, 1, col);
	return true;
}

/* The scale pointers are exchanged: A's rows get the scales of B's rows, and the reverse. */
static bool swapped_scales(struct mx_element_product *e, unsigned side, long parameter) {
	(void)side, (void)parameter;
	if (e->row < e->whole.n)
		memcpy(e->scales[0], e->whole.b.scales + e->row * e->whole.b.ld_scales, e->blocks);
	if (e->col < e->whole.m)
		memcpy(e->scales[1], e->whole.a.scales + e->col * e->whole.a.ld_scales, e->blocks);
	return true;
}

/* Likely and special faults before general ones. */
const struct mx_fault mx_faults[] = {
	{ "as if row and column were exchanged: the product is transposed", transposed,
	  MX_FAULT_ONCE, true },
	{ "as if row and column were exchanged within 16x16 tiles", transposed_tile, MX_FAULT_ONCE,
	  true },
	{ "as if the scales of A and B were exchanged", swapped_scales, MX_FAULT_ONCE, true },
	{ "as if the scales of %s were not applied", no_scales, MX_FAULT_ONCE, false },
	{ "as if the scales of %s were lost: 0x00", scales_cleared, MX_FAULT_ONCE, false },
	{ "as if scale byte 0x00 of %s were 0.0", zero_scale_is_zero, MX_FAULT_ONCE, false },
	{ "as if scale byte 0x00 of %s were 1.0", zero_scale_is_one, MX_FAULT_ONCE, false },
	{ "as if blocks with scale byte 0xFF were zero", nan_scale_is_zero, MX_FAULT_ONCE, true },
	{ "as if scale byte 0xFF were 1.0", nan_scale_is_one, MX_FAULT_ONCE, true },
	{ "as if scale byte 0xFF were 0xFE", nan_scale_is_0xfe, MX_FAULT_ONCE, true },
	{ "as if the nibbles of %s were swapped", swap_nibbles, MX_FAULT_ONCE, false },
	{ "as if the codes of %s were read in the format's other variant", other_format,
	  MX_FAULT_ONCE, false },
	{ "as if FP8 scales belonged to the 32 contiguous bytes of a lane, in steps of 128 of K",
	  lane_contiguous_128, MX_FAULT_ONCE, true },
	{ "as if FP8 scales belonged to the 32 contiguous bytes of a lane, in steps of 64 of K",
	  lane_contiguous_64, MX_FAULT_ONCE, true },
	{ "as if A and B were dequantised to f32 or bf16 before the product, and overflowed there",
	  both_dequantised_overflow, MX_FAULT_ONCE, true },
	{ "as if %s were dequantised to f32 or bf16 before the product, and overflowed there",
	  dequantised_overflow, MX_FAULT_ONCE, false },
	{ "as if block %ld of K were dropped", drop_block, MX_FAULT_BLOCKS, true },
	{ "as if block %ld of K were added twice", repeat_block, MX_FAULT_BLOCKS, true },
	{ "as if the scale of block %ld of K were one too high, of A or of B", scale_high,
	  MX_FAULT_BLOCKS, true },
	{ "as if the scale of block %ld of K were one too low, of A or of B", scale_low,
	  MX_FAULT_BLOCKS, true },
	{ "as if step %ld of 128 of K were dropped", drop_128, MX_FAULT_BLOCKS, true },
	{ "as if step %ld of 256 of K were dropped", drop_256, MX_FAULT_BLOCKS, true },
	{ "as if step %ld of 128 of K were added twice", repeat_128, MX_FAULT_BLOCKS, true },
	{ "as if step %ld of 256 of K were added twice", repeat_256, MX_FAULT_BLOCKS, true },
	{ "as if a block of %s had the scale of the block %+ld from it", scale_of_other_block,
	  MX_FAULT_NEIGHBOUR, false },
	{ "as if a row of %s had the scales of the row %+ld from it", scale_of_other_row,
	  MX_FAULT_NEIGHBOUR, false },
	{ "as if all blocks of a scale word of %s had its byte %ld", scale_byte, MX_FAULT_BLOCKS,
	  false },
	{ "as if the bytes of a scale word of %s were in the order of i ^ %ld", scale_exchanged,
	  MX_FAULT_BLOCKS, false },
	{ "as if A and B were swapped from step %ld of 128 of K on", transposed_from,
	  MX_FAULT_BLOCKS, true },
	{ "as if the codes of %s's block %ld and the next were exchanged", exchanged,
	  MX_FAULT_BLOCKS, false },
	{ "as if the reads of %s were shifted by %+ld block", shift_codes, MX_FAULT_NEIGHBOUR,
	  false },
	{ "as if rows of %s were exchanged: i and i ^ %ld", rows_exchanged, MX_FAULT_NEIGHBOUR,
	  false },
	{ "as if the result used the row of %s %+ld from its own", other_row, MX_FAULT_ROWS,
	  false },
};
const size_t mx_n_faults = sizeof mx_faults / sizeof *mx_faults;
