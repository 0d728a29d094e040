/* The outputs of a run, kept to compare those of the same run on another device with them; and, of
 * a product whose bits depend on how the device accumulates, which profile explains them. */
#ifndef MX_OUTPUTS_H
#define MX_OUTPUTS_H

#include "bench.h"

/* The elements of all buffers that the case judges, line after line. */
struct mx_outputs {
	size_t bytes; /* 0: only some tiles ran */
	uint8_t at[];
};

/* Those of the last run, for the caller to free; NULL: out of memory. */
struct mx_outputs *mx_outputs_keep(const struct mx_bench *b);

struct mx_difference {
	size_t elements, differ;
	bool has_ulp;       /* all outputs are f32, bf16 or f16 */
	uint64_t ulp;       /* the largest distance of two finite elements */
	size_t no_distance; /* elements that are finite on one device alone */
	char first[320];    /* "C[0][3] (byte 12 of C) is 0x3f800001, not 0x3f800000" */
};

/* How outputs of the plan, as those of the last run, differ from others of it. Any NaN equals any
 * NaN. */
void mx_outputs_compare(const struct mx_bench *b, const struct mx_outputs *is,
                        const struct mx_outputs *was, struct mx_difference *d);

/* What a run says about the accumulation of its device. */
enum { MX_FITS = 4 };
struct mx_fit_of_profile {
	char name[16];
	size_t equal; /* elements that have its bits */
};
struct mx_measurement {
	size_t elements; /* 0: not measured */
	size_t outside;  /* those that no accumulation gives: beyond the bound of judge bound */
	struct mx_fit_of_profile fit[MX_FITS]; /* the best first */
};

/* Compares the last run with every profile. Only whole products under judge bits are measured, up
 * to a size. */
int mx_measure_profiles(struct mx_bench *b, struct mx_measurement *m, struct mx_error *err);

#endif
