/* The accuracy of a run. */
#include "accuracy.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct mx_measure_info mx_measures[MX_MEASURES] = {
	{ "snr_deq", "%.4f", " dB", false }, { "snr_unq", "%.4f", " dB", false },
	{ "worst_row", "%.4e", "", true },   { "equal", "%.6f", "", false },
	{ "ulp", "%.0f", "", true },
};

static double finite_or_none(double v) {
	return isfinite(v) ? v : NAN;
}

struct mx_accuracy mx_accuracy_of(const struct mx_verdict *v) {
	struct mx_accuracy a;
	size_t outputs = v->metrics.no_distance;
	for (unsigned i = 0; i < MX_ULP_CLASSES; i++)
		outputs += v->metrics.ulp[i];
	bool errs = isfinite(v->snr_dequantised);
	a.at[MX_SNR_DEQ] = finite_or_none(v->snr_dequantised);
	a.at[MX_SNR_UNQ] = finite_or_none(v->snr_unquantised);
	a.at[MX_WORST_ROW] = errs ? v->metrics.row_error : NAN;
	a.at[MX_EQUAL] = outputs ? (double)v->metrics.ulp[0] / (double)outputs : NAN;
	a.at[MX_ULP] = outputs ? (double)v->metrics.ulp_max : NAN;
	return a;
}

bool mx_has_accuracy(const struct mx_verdict *v) {
	return v->checked && !isnan(mx_accuracy_of(v).at[MX_EQUAL]);
}

/* As a file has it, so that a run equals what was written of it. */
static double rounded(mx_measure m, double v) {
	char text[64];
	snprintf(text, sizeof text, mx_measures[m].format, v);
	return isnan(v) ? v : strtod(text, NULL);
}

double mx_gain(mx_measure m, double was, double is) {
	if (isnan(was) || isnan(is))
		return (double)(isnan(is) - isnan(was));
	double gain = rounded(m, is) - rounded(m, was);
	return mx_measures[m].less_is_better ? -gain : gain;
}

/* ---- the histogram ---- */

static void put(const char *name, size_t outputs, char *text, size_t room) {
	size_t n = strlen(text);
	if (outputs)
		snprintf(text + n, room - n, "%s%s: %zu", n ? ", " : "", name, outputs);
}

void mx_histogram_text(const struct mx_metrics *m, char *text, size_t room) {
	char name[16];
	text[0] = 0;
	for (unsigned i = 1; i < MX_ULP_CLASSES; i++) {
		snprintf(name, sizeof name, "%u", 1u << (i - 1));
		put(name, m->ulp[i], text, room);
	}
	put("none", m->no_distance, text, room);
}

/* The class that a text begins with. */
static size_t *class_at(const char **text, struct mx_metrics *m) {
	unsigned long least;
	char *end;
	if (!strncmp(*text, "none", 4))
		return *text += 4, &m->no_distance;
	least = strtoul(*text, &end, 10);
	*text = end;
	for (unsigned i = 1; i < MX_ULP_CLASSES; i++)
		if (least == 1u << (i - 1))
			return &m->ulp[i];
	return NULL;
}

bool mx_histogram_read(const char *text, struct mx_metrics *m) {
	size_t *outputs;
	char *end;
	*m = (struct mx_metrics){ 0 };
	for (;;) {
		if (!(outputs = class_at(&text, m)) || *outputs || strncmp(text, ": ", 2) ||
		    !isdigit((unsigned char)text[2]))
			return false;
		errno = 0;
		*outputs = strtoul(text + 2, &end, 10);
		if (errno || !*outputs)
			return false;
		if (!*end)
			return true;
		if (strncmp(end, ", ", 2))
			return false;
		text = end + 2;
	}
}

size_t mx_histogram_tail(const struct mx_metrics *m, unsigned class) {
	size_t n = m->no_distance;
	for (unsigned i = class; i < MX_ULP_CLASSES; i++)
		n += m->ulp[i];
	return n;
}
