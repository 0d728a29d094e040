/* Metrics of an output; they do not decide the verdict. */
#ifndef MX_METRICS_H
#define MX_METRICS_H

#include <stddef.h>
#include <stdint.h>

/* 10 log10(sum ref^2 / sum (ref - x)^2) in dB; +Inf if they are equal. Elements that are not finite
 * in ref or x are skipped. NaN if none remains, or if ref is all zero. */
double mx_snr(size_t n, const double *ref, const double *x);

/* Distances in ULP of the output's format: 0 (also +0 and -0), 1, 2-3, 4-7, ... 2^n and more. */
enum { MX_ULP_CLASSES = 12 };
struct mx_metrics {
	size_t ulp[MX_ULP_CLASSES];
	size_t no_distance; /* NaN or infinity on one side only */
	uint64_t ulp_max;
	double row_error; /* the largest |ref - x| / |ref| of a row, in the Euclidean norm */
	size_t row;       /* the row of row_error */
};

/* The histogram of n codes of "FP32", "BF16" or "FP16" against the reference's. */
void mx_ulps(size_t n, const char *format, const uint32_t *ref, const uint32_t *x,
             struct mx_metrics *m);
/* Counts finite elements of rows x cols only; skips rows of zeros. */
void mx_row_error(size_t rows, size_t cols, const double *ref, const double *x,
                  struct mx_metrics *m);

/* "0: 4000, 1: 90, 2-3: 6; at most 3" */
void mx_ulp_text(const struct mx_metrics *m, char *text, size_t room);

#endif
