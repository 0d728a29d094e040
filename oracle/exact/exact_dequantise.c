/* The values of an operand, as doubles. */
#include "inside.h"

#include <math.h>
#include <stdlib.h>

static double value(const struct exact_row *r, size_t k) {
	if (r->flags[k] & EXACT_NAN)
		return NAN;
	double x = r->flags[k] & EXACT_INF ? INFINITY
	                                   : ldexp(llabs(r->sig[k]), r->block[k / EXACT_BLOCK].exp);
	return r->flags[k] & EXACT_NEGATIVE ? -x : x;
}

enum exact_status exact_dequantise(const struct exact_operand *o, size_t rows, size_t k,
                                   double *x) {
	struct exact_rows r;
	enum exact_status status = exact_rows_decode(&r, o, rows, k, 1);
	for (size_t i = 0; !status && i < rows; i++) {
		struct exact_row row = exact_row_at(&r, i);
		for (size_t c = 0; c < k; c++)
			x[i * k + c] = value(&row, c);
	}
	exact_rows_free(&r);
	return status;
}
