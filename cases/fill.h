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

/* The largest code without sign that is a finite number. */
uint8_t max_finite_code(mx_format f);

/* How far an operand may spread in the exact regime: its elements' exponent
 * fields over `span` doublings, its blocks' units over 2^spread. */
struct reach {
	unsigned span, spread;
};

/* The reach of both operands at K; b may be NULL. False where K is too long
 * for any. */
bool exact_reach(const struct operand *a, const struct operand *b, int64_t K, struct reach *ra,
                 struct reach *rb);

void fill_exact(const struct operand *o, struct reach reach);
void fill_general(const struct operand *o);
void fill_special(const struct operand *o);

#endif
