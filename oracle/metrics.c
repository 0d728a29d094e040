/* Figures that are tracked beside a verdict. */
#include "metrics.h"

#include <math.h>

double mx_snr(size_t n, const double *ref, const double *x) {
	double signal = 0, noise = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(ref[i]) && isfinite(x[i])) {
			signal += ref[i] * ref[i];
			noise += (ref[i] - x[i]) * (ref[i] - x[i]);
		}
	return signal > 0 ? 10 * log10(signal / noise) : NAN;
}
