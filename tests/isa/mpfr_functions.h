/* The functions of transcendental opcodes, by MPFR. An angle is a part of the circle. */
#ifndef MX_MPFR_FUNCTIONS_H
#define MX_MPFR_FUNCTIONS_H

#include <mpfr.h>

static int reciprocal(mpfr_t y, mpfr_t x) {
	return mpfr_ui_div(y, 1, x, MPFR_RNDN);
}
static int root(mpfr_t y, mpfr_t x) {
	return mpfr_sqrt(y, x, MPFR_RNDN);
}
static int inverse_root(mpfr_t y, mpfr_t x) {
	return mpfr_rec_sqrt(y, x, MPFR_RNDN);
}
static int exponential(mpfr_t y, mpfr_t x) {
	return mpfr_exp2(y, x, MPFR_RNDN);
}
static int logarithm(mpfr_t y, mpfr_t x) {
	return mpfr_log2(y, x, MPFR_RNDN);
}
static int sine(mpfr_t y, mpfr_t x) {
	return mpfr_sinu(y, x, 1, MPFR_RNDN);
}
static int cosine(mpfr_t y, mpfr_t x) {
	return mpfr_cosu(y, x, 1, MPFR_RNDN);
}

#endif
