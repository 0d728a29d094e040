/* Known faults of the output: predicates on one element's code. */
#include "code_fault.h"
#include "exact/exact.h"
#include "product.h"

#include <math.h>
#include <string.h>

static bool is(const struct mx_code_element *x, const char *format) {
	return !strcmp(x->format, format);
}

static uint32_t sign_of(const struct mx_code_element *x) {
	return is(x, "FP32") ? 0x80000000u : 0x8000;
}

static uint32_t infinity_of(const struct mx_code_element *x) {
	return is(x, "FP32") ? 0x7f800000u : is(x, "BF16") ? 0x7f80 : 0x7c00;
}

static uint32_t normal_of(const struct mx_code_element *x) {
	return is(x, "FP32") ? 0x00800000u : is(x, "BF16") ? 0x0080 : 0x0400;
}

static uint32_t magnitude(const struct mx_code_element *x, uint32_t code) {
	return code & ~sign_of(x);
}

static bool is_nan(const struct mx_code_element *x, uint32_t code) {
	return magnitude(x, code) > infinity_of(x);
}

/* ---- symptoms ---- */

static bool unwritten(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return x->unwritten;
}

static bool stale(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return x->got == x->before && !unwritten(x, 0);
}

static bool unexpected_nan(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return is_nan(x, x->got) && !is_nan(x, x->want) && !unwritten(x, 0);
}

static bool zero_sign(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return !magnitude(x, x->got) && !magnitude(x, x->want);
}

/* ---- causes ---- */

static bool all_zero(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return x->got == 0;
}

static bool sign_changed(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return (x->got ^ x->want) == sign_of(x);
}

static bool converts(const struct mx_code_element *x, const char *format, enum exact_rounding r) {
	uint32_t code = 0;
	exact_encode(format, x->right, 0, r, EXACT_OVERFLOW, 0, &code);
	return x->has_right && mx_code_same(x->format, x->got, code);
}

static bool truncated(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return !is(x, "FP32") && converts(x, x->format, EXACT_RTZ);
}

static bool ties_away(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return !is(x, "FP32") && converts(x, x->format, EXACT_RNA);
}

static bool bf16_bits(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return is(x, "FP16") && converts(x, "BF16", EXACT_RNE);
}

static bool f16_bits(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	return is(x, "BF16") && converts(x, "FP16", EXACT_RNE);
}

static bool saturated(const struct mx_code_element *x, long parameter) {
	(void)parameter;
	if (magnitude(x, x->want) != infinity_of(x))
		return mx_code_same(x->format, x->got, x->want);
	return x->got == x->want - 1; /* the code below infinity is the largest finite number */
}

static bool flushed(const struct mx_code_element *x, long parameter) {
	uint32_t size = magnitude(x, x->want);
	(void)parameter;
	if (!size || size >= normal_of(x))
		return mx_code_same(x->format, x->got, x->want);
	return !magnitude(x, x->got);
}

/* Zeros, infinities and NaN neither support nor contradict a factor. */
static bool times_power(const struct mx_code_element *x, long n) {
	double got = mx_code_value(x->format, x->got), want = mx_code_value(x->format, x->want);
	if (!isfinite(want) || want == 0)
		return mx_code_same(x->format, x->got, x->want);
	return isfinite(got) && got == ldexp(want, (int)n);
}

/* Symptoms first: they are valid even if no operand is right. */
const struct mx_code_fault mx_code_faults[] = {
	{ "elements that were not written", unwritten, 16, true, false },
	{ "elements that hold their value from before the launch", stale, 16, true, false },
	{ "NaN where none is right: as if padding or a scale byte of 0xFF were read",
	  unexpected_nan, 8, true, false },
	{ "zeros with the wrong sign", zero_sign, 8, true, false },
	{ "as if nothing were added: all +0", all_zero, 8, false, false },
	{ "as if the sign were changed", sign_changed, 8, false, false },
	{ "as if subnormal results were flushed to zero", flushed, 8, false, false },
	{ "as if results that overflow became the largest number", saturated, 8, false, false },
	{ "as if the output were truncated instead of rounded", truncated, 2, false, false },
	{ "as if ties of the output were rounded away from zero", ties_away, 2, false, false },
	{ "bf16 bits in an f16 output", bf16_bits, 8, false, false },
	{ "f16 bits in a bf16 output", f16_bits, 8, false, false },
	{ "as if a scale were wrong by 2^%ld", times_power, 8, false, true },
};
const size_t mx_n_code_faults = sizeof mx_code_faults / sizeof *mx_code_faults;
