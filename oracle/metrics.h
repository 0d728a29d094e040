/* Figures that are tracked beside a verdict; none of them decides one. */
#ifndef MX_METRICS_H
#define MX_METRICS_H

#include <stddef.h>

/* 10 log10(sum ref^2 / sum (ref - x)^2) in dB: +Inf where they are equal. Elements that are
 * not finite on either side are left out; NaN if none is left, or if ref is all zero. */
double mx_snr(size_t n, const double *ref, const double *x);

#endif
