/* Filling an operand, codes and scales together, by regime. */
#ifndef MX_CASES_FILL_H
#define MX_CASES_FILL_H

#include "case.h"
#include "draw.h"

/* One of A and B: a.codes->rows rows of a.codes->cols elements. */
struct operand {
	const struct mx_buffer *codes, *scales;
	mx_format format;
	uint8_t *code_bytes, *scale_bytes;
	float *values; /* general regime: what was quantised */
	struct stream stream;
};

static inline uint8_t *operand_row(const struct operand *o, size_t row) {
	return o->code_bytes + row * o->codes->ld;
}

static inline uint8_t *operand_scale(const struct operand *o, size_t row, size_t block) {
	return &o->scale_bytes[row * o->scales->ld + block];
}

/* An element, scaled; exact. NaN under scale 0xFF. */
double operand_value(const struct operand *o, size_t row, size_t col);

/* The largest code without sign that is a finite number. */
uint8_t max_finite_code(mx_format f);

/* How far an operand may spread in the exact regime: its elements' exponent
 * fields over `span` doublings, its blocks' units over 2^spread. */
struct reach {
	unsigned span, spread;
};

/* The reach of both operands at K, where magnitudes sum to less than `limit` units; b may be NULL.
 * False where K is too long for any. */
bool exact_reach(const struct operand *a, const struct operand *b, int64_t K, uint64_t limit,
                 struct reach *ra, struct reach *rb);

/* Elements of an operand are multiples of 2^base, which its stream draws: far from 1. */
int exact_base(const struct operand *o);
/* Against that of the other operand, so that products are multiples of 2 to 8. */
int exact_base_against(const struct operand *o, int other);

void fill_exact(const struct operand *o, struct reach reach, int base);
/* False: all numbers have one sign, which is a fault of the generator. */
bool fill_general(const struct operand *o);
void fill_special(const struct operand *o);

/* A block of the special regime without NaN, infinities or extreme scales. Of half a block the even
 * or odd elements are zeros, and elements 2 pair and 2 pair + 1 are left to the caller. */
struct half {
	bool is;
	unsigned odd; /* which of them are not zero: 0, the even ones, or 1 */
	size_t pair;
};
void fill_plain_block(const struct operand *o, size_t row, size_t block, struct half half);

#endif
