/* The values of an operand, as doubles. */
#include "fast.h"

#include <math.h>

enum { BIAS = 127, NAN_SCALE = 0xff };

static void dequantise_row(const struct fast_codes *c, const uint8_t *row, const uint8_t *scales,
                           size_t k, double *x) {
	for (size_t b = 0; b * EXACT_BLOCK < k; b++, x += EXACT_BLOCK) {
		size_t left = k - b * EXACT_BLOCK, n = left < EXACT_BLOCK ? left : EXACT_BLOCK;
		double power = scales[b] == NAN_SCALE ? NAN : ldexp(1, scales[b] - BIAS);
		uint8_t code[EXACT_BLOCK];
		fast_unpack(c, row, b, k, code);
		for (size_t i = 0; i < n; i++)
			x[i] = c->value[code[i]] * power;
	}
}

enum exact_status exact_dequantise(const struct exact_operand *o, size_t rows, size_t k,
                                   double *x) {
	struct fast_codes codes;
	enum exact_status status = exact_operand_check(o, rows, k, 1);
	if (status)
		return status;
	fast_list_codes(exact_format(o->format), &codes);
	for (size_t i = 0; i < rows; i++)
		dequantise_row(&codes, o->codes + i * o->ld, o->scales + i * o->ld_scales, k,
		               x + i * k);
	return EXACT_OK;
}
