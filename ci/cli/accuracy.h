/* The accuracy of a run: the numbers that a baseline compares and a history keeps. */
#ifndef MX_ACCURACY_H
#define MX_ACCURACY_H

#include "../../oracle/bench.h"

typedef enum { MX_SNR_DEQ, MX_SNR_UNQ, MX_WORST_ROW, MX_EQUAL, MX_ULP, MX_MEASURES } mx_measure;

struct mx_measure_info {
	const char *name;   /* "snr_deq" */
	const char *format; /* with the digits that files have */
	const char *unit;   /* " dB", or "" */
	bool less_is_better;
};
extern const struct mx_measure_info mx_measures[MX_MEASURES];

/* NAN: the run does not have it. A run whose output has no finite error has neither SNR nor
 * MX_WORST_ROW: it is exact. */
struct mx_accuracy {
	double at[MX_MEASURES];
};
struct mx_accuracy mx_accuracy_of(const struct mx_verdict *v);

/* Whether outputs were compared with a reference. */
bool mx_has_accuracy(const struct mx_verdict *v);

/* By how much a value is better than an earlier one, with the digits of files; below 0: worse. NAN
 * is exact. */
double mx_gain(mx_measure m, double was, double is);

/* The histogram of distances as a file has it, "1: 90, 2: 6, 4: 1, none: 2": outputs by the least
 * distance of their class in ULP; `none` have NaN or infinity on one side alone. "": all are equal.
 */
void mx_histogram_text(const struct mx_metrics *m, char *text, size_t room);
bool mx_histogram_read(const char *text, struct mx_metrics *m);

/* Outputs at 2^(class - 1) ULP or more, and those without a distance. */
size_t mx_histogram_tail(const struct mx_metrics *m, unsigned class);

#endif
