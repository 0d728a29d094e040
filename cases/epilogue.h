/* What a case's epilogue adds: its numbers, its buffers, and what is drawn for them. */
#ifndef MX_CASES_EPILOGUE_H
#define MX_CASES_EPILOGUE_H

#include "case.h"
#include "plant.h"

/* What is wrong with a case's epilogue, and the part of the file to blame: list[i].key, or
 * list.key where i is -1. False: nothing. */
struct epilogue_fault {
	const char *list;
	int i;
	const char *key;
	char why[160];
};
bool epilogue_is_wrong(const struct mx_case *c, struct epilogue_fault *f);

/* Of a case that has been checked, once the plan has its buffers. */
struct mx_epilogue epilogue_make(const struct mx_plan *p);

/* The number that an argument means: as written, for f32 rounded once; or "alpha" or "beta" of the
 * epilogue, which are f32. */
bool epilogue_argument(const struct mx_plan *p, const char *text, float *narrow, double *wide);

/* ---- data ---- */

/* A number other than 0 as odd 2^exp; 0 as 1, so that it asks for nothing. */
struct dyadic {
	uint32_t odd;
	int exp;
};
struct dyadic epilogue_dyadic(float x);

/* In the exact regime |alpha acc| has half of what 24 bits hold, beta C and the bias a quarter. */
enum { EPILOGUE_ACC_BITS = 23, EPILOGUE_TERM_BITS = 22 };

/* Fills buffer i, C or the bias, by the plan's regime; unit: products of A and B are multiples
 * of 2^unit in the exact regime; planted: in the special one. Fails where that leaves no room. */
int epilogue_fill(const struct mx_plan *p, unsigned i, uint64_t seed, int unit,
                  const struct planted *planted, uint8_t *bytes, struct mx_error *err);

#endif
