/* The comparison of two arrays element by element: distances in ULP and measures of error. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracle/metrics.h"

/* ---- elements ---- */

static uint64_t bits_at(const struct mx_npy *a, size_t i) {
	uint64_t bits = 0; /* little-endian, as the host */
	memcpy(&bits, (const uint8_t *)a->data + i * a->bytes, a->bytes);
	return bits;
}

static bool is_float(const struct mx_npy *a, bool bf16) {
	return a->kind == 'f' || bf16;
}

static unsigned man_bits(const struct mx_npy *a, bool bf16) {
	return bf16 ? 7 : a->bytes == 2 ? 10 : a->bytes == 4 ? 23 : 52;
}

static uint64_t magnitude(const struct mx_npy *a, uint64_t bits) {
	return bits & ~(UINT64_C(1) << (8 * a->bytes - 1));
}

static uint64_t infinity(const struct mx_npy *a, bool bf16) {
	unsigned man = man_bits(a, bf16);
	return ((UINT64_C(1) << (8 * a->bytes - 1 - man)) - 1) << man;
}

static double float_value(const struct mx_npy *a, bool bf16, uint64_t bits) {
	uint64_t inf = infinity(a, bf16), m = magnitude(a, bits);
	unsigned man = man_bits(a, bf16);
	int bias = (int)(inf >> man >> 1), field = (int)(m >> man);
	uint64_t sig = m & ((UINT64_C(1) << man) - 1);
	double x = m > inf ? NAN : INFINITY;
	if (m < inf)
		x = ldexp((double)(field ? sig | UINT64_C(1) << man : sig),
		          (field ? field : 1) - bias - (int)man);
	return m == bits ? x : -x;
}

static int64_t signed_value(const struct mx_npy *a, uint64_t bits) {
	unsigned unused = 64 - 8 * a->bytes;
	return (int64_t)(bits << unused) >> unused;
}

double mx_npy_value(const struct mx_npy *a, bool bf16, size_t i) {
	uint64_t bits = bits_at(a, i);
	if (is_float(a, bf16))
		return float_value(a, bf16, bits);
	return a->kind == 'i' ? (double)signed_value(a, bits) : (double)bits;
}

/* Keys in the order of the values, 1 apart for neighbours; -0 and +0 share one. */
static uint64_t key(const struct mx_npy *a, bool bf16, uint64_t bits) {
	const uint64_t middle = UINT64_C(1) << 63;
	if (!is_float(a, bf16))
		return a->kind == 'i' ? (uint64_t)signed_value(a, bits) + middle : bits;
	uint64_t m = magnitude(a, bits);
	return m == bits ? middle + m : middle - m;
}

/* ---- the comparison ---- */

static unsigned bucket(uint64_t ulp) {
	return ulp < 2 ? (unsigned)ulp : 65 - (unsigned)__builtin_clzll(ulp - 1);
}

static void count_one(struct mx_diff *d, const struct mx_npy *a, const struct mx_npy *b, bool bf16,
                      size_t i) {
	uint64_t x = bits_at(a, i), y = bits_at(b, i);
	uint64_t inf = is_float(a, bf16) ? infinity(a, bf16) : UINT64_MAX;
	if (x == y)
		return;
	if (is_float(a, bf16) && magnitude(a, x) > inf && magnitude(a, y) > inf) {
		d->nan_payloads++;
		return;
	}
	d->differs[i] = 1;
	if (!d->wrong++)
		d->first = i;
	if (is_float(a, bf16) && (magnitude(a, x) >= inf || magnitude(a, y) >= inf)) {
		d->not_finite++;
		return;
	}
	uint64_t p = key(a, bf16, x), q = key(a, bf16, y), ulp = p > q ? p - q : q - p;
	d->histogram[bucket(ulp)]++;
	if (ulp > d->ulp_max) {
		d->ulp_max = ulp;
		d->ulp_max_at = i;
	}
}

/* Ignores elements that are not finite, as mx_snr does. */
static double norm_error(const double *x, const double *y, size_t n) {
	double signal = 0, error = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]) && isfinite(y[i])) {
			signal = hypot(signal, x[i]);
			error = hypot(error, x[i] - y[i]);
		}
	return error > 0 ? error / signal : 0;
}

static void measure(struct mx_diff *d, const double *x, const double *y) {
	d->snr = mx_snr(d->rows * d->cols, x, y);
	for (size_t r = 0; r < d->rows; r++) {
		double error = norm_error(x + r * d->cols, y + r * d->cols, d->cols);
		if (error > d->row_error) {
			d->row_error = error;
			d->row_error_at = r;
		}
	}
}

int mx_diff_make(const struct mx_npy *a, const struct mx_npy *b, size_t rows, size_t cols,
                 bool bf16, struct mx_diff *d) {
	size_t n = rows * cols;
	double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
	*d = (struct mx_diff){ .rows = rows, .cols = cols, .differs = calloc(n, 1) };
	int status = x && y && d->differs ? 0 : -1;
	for (size_t i = 0; !status && i < n; i++) {
		x[i] = mx_npy_value(a, bf16, i);
		y[i] = mx_npy_value(b, bf16, i);
		count_one(d, a, b, bf16, i);
	}
	if (!status)
		measure(d, x, y);
	free(x);
	free(y);
	return status;
}

void mx_diff_free(struct mx_diff *d) {
	free(d->differs);
	d->differs = NULL;
}
