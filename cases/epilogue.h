/* A case's epilogue: its numbers, its buffers, and their data. */
#ifndef MX_CASES_EPILOGUE_H
#define MX_CASES_EPILOGUE_H

#include "case.h"
#include "plant.h"

/* The fault of a case's epilogue, and the part of the file that has it: list[i].key, or list.key if
 * i is -1. False: no fault. */
struct epilogue_fault {
	const char *list;
	int i;
	const char *key;
	char why[160];
};
bool epilogue_is_wrong(const struct mx_case *c, struct epilogue_fault *f);

/* For a checked case, after the plan has its buffers. */
struct mx_epilogue epilogue_make(const struct mx_plan *p);

/* The value of a float argument: a number as written, rounded once for f32; or "alpha" or "beta" of
 * the epilogue, which are f32. */
bool epilogue_argument(const struct mx_plan *p, const char *text, float *narrow, double *wide);

/* ---- data ---- */

/* A nonzero number as odd 2^exp; 0 as 1, so that it adds no constraint. */
struct dyadic {
	uint32_t odd;
	int exp;
};
struct dyadic epilogue_dyadic(float x);

/* In the exact regime |alpha acc| may use half of the range of 24 bits, beta C and the bias a
 * quarter each. */
enum { EPILOGUE_ACC_BITS = 23, EPILOGUE_TERM_BITS = 22 };

/* Fills buffer i, C or the bias, by the plan's regime. unit: in the exact regime, products of A and
 * B are multiples of 2^unit. planted: for the special regime. Fails if the regime leaves no
 * room. */
int epilogue_fill(const struct mx_plan *p, unsigned i, uint64_t seed, int unit,
                  const struct planted *planted, uint8_t *bytes, struct mx_error *err);

#endif
