/* Metrics of an output; they do not decide the verdict. */
#include "metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double mx_snr(size_t n, const double *ref, const double *x) {
	double signal = 0, noise = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(ref[i]) && isfinite(x[i])) {
			signal += ref[i] * ref[i];
			noise += (ref[i] - x[i]) * (ref[i] - x[i]);
		}
	return signal > 0 ? 10 * log10(signal / noise) : NAN;
}

void mx_row_error(size_t rows, size_t cols, const double *ref, const double *x,
                  struct mx_metrics *m) {
	m->row_error = 0;
	m->row = 0;
	for (size_t r = 0; r < rows; r++) {
		double snr = mx_snr(cols, ref + r * cols, x + r * cols);
		double error = isnan(snr) ? 0 : pow(10, -snr / 20);
		if (error > m->row_error) {
			m->row_error = error;
			m->row = r;
		}
	}
}

/* ---- ULP ---- */

struct layout {
	uint32_t sign, infinity;
};

static struct layout layout_of(const char *format) {
	if (!strcmp(format, "BF16"))
		return (struct layout){ 0x8000, 0x7f80 };
	if (!strcmp(format, "FP16"))
		return (struct layout){ 0x8000, 0x7c00 };
	return (struct layout){ 0x80000000, 0x7f800000 };
}

static int64_t ordinal(struct layout l, uint32_t code) {
	int64_t magnitude = code & (l.sign - 1);
	return code & l.sign ? -magnitude : magnitude;
}

static void count(struct layout l, uint32_t ref, uint32_t x, struct mx_metrics *m) {
	uint32_t r = ref & (l.sign - 1), y = x & (l.sign - 1);
	bool both_nan = r > l.infinity && y > l.infinity;
	if (!both_nan && ref != x && (r >= l.infinity || y >= l.infinity)) {
		m->no_distance++;
		return;
	}
	uint64_t d = both_nan ? 0 : (uint64_t)llabs(ordinal(l, ref) - ordinal(l, x));
	unsigned class = d ? 64 - (unsigned)__builtin_clzll(d) : 0;
	m->ulp[class < MX_ULP_CLASSES ? class : MX_ULP_CLASSES - 1]++;
	m->ulp_max = d > m->ulp_max ? d : m->ulp_max;
}

void mx_ulps(size_t n, const char *format, const uint32_t *ref, const uint32_t *x,
             struct mx_metrics *m) {
	struct layout l = layout_of(format);
	memset(m->ulp, 0, sizeof m->ulp);
	m->no_distance = 0;
	m->ulp_max = 0;
	for (size_t i = 0; i < n; i++)
		if (ref[i] == x[i])
			m->ulp[0]++;
		else
			count(l, ref[i], x[i], m);
}

static void class_name(unsigned class, char name[32]) {
	if (class < 2)
		snprintf(name, 32, "%u", class);
	else if (class == MX_ULP_CLASSES - 1)
		snprintf(name, 32, "%u and more", 1u << (class - 1));
	else
		snprintf(name, 32, "%u-%u", 1u << (class - 1), (1u << class) - 1);
}

void mx_ulp_text(const struct mx_metrics *m, char *text, size_t room) {
	size_t n = 0;
	text[0] = 0;
	for (unsigned i = 0; i < MX_ULP_CLASSES && n < room; i++)
		if (m->ulp[i]) {
			char name[32];
			class_name(i, name);
			n += (size_t)snprintf(text + n, room - n, "%s%s: %zu", n ? ", " : "", name,
			                      m->ulp[i]);
		}
	if (n < room && m->no_distance)
		n += (size_t)snprintf(text + n, room - n, "%sNaN or infinity on one side: %zu",
		                      n ? ", " : "", m->no_distance);
	if (n < room)
		snprintf(text + n, room - n, "; largest %" PRIu64, m->ulp_max);
}
