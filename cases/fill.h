/* Data of an operand, codes and scales together, by regime. */
#ifndef MX_CASES_FILL_H
#define MX_CASES_FILL_H

#include "case.h"
#include "draw.h"

/* A or B: codes->rows rows of codes->cols elements. */
struct operand {
	const struct mx_buffer *codes, *scales;
	mx_format format;
	uint8_t *code_bytes, *scale_bytes;
	bool quantised;  /* a kernel makes it: see fill_exact.c */
	size_t from, to; /* the rows to fill */
	float *values;   /* general regime: room for the unquantised values of these rows; or NULL */
	struct stream stream;
};

static inline uint8_t *operand_row(const struct operand *o, size_t row) {
	return o->code_bytes + row * o->codes->ld;
}

static inline uint8_t *operand_scale(const struct operand *o, size_t row, size_t block) {
	return &o->scale_bytes[row * o->scales->ld + block];
}

/* An element with its scale; exact. NaN under scale 0xFF. */
double operand_value(const struct operand *o, size_t row, size_t col);

/* Sets the codes of a block. */
void operand_put_block(const struct operand *o, size_t row, size_t block,
                       const mx_elem codes[MX_BLOCK]);

/* The largest unsigned code of a finite number. */
uint8_t max_finite_code(mx_format f);

/* The spread of an operand in the exact regime: its elements' exponent fields span `span`
 * doublings, its blocks' units 2^spread. */
struct reach {
	unsigned span, spread;
};

/* The reach of both operands at K, with a sum of magnitudes below `limit` units; b may be NULL.
 * False if K is too long. */
bool exact_reach(const struct operand *a, const struct operand *b, int64_t K, uint64_t limit,
                 struct reach *ra, struct reach *rb);

/* Elements of an operand are multiples of 2^base. Its stream draws base, far from 0. */
int exact_base(const struct operand *o);
/* The base for the other operand, so that products are multiples of 2 to 8. */
int exact_base_against(const struct operand *o, int other);

/* Calls `fill` for parts of the rows of an operand, on several threads (mx_data_threads). Returns
 * the first status that is not MX_OK. */
typedef mx_status fill_part(const struct operand *part, const void *how);
mx_status fill_rows(const struct operand *o, fill_part *fill, const void *how);

void fill_exact(const struct operand *o, struct reach reach, int base);
/* NULL, or what is wrong with the operand: all numbers have the same sign. */
const char *fill_general(const struct operand *o);
/* The unquantised values of one row, a whole number of blocks. */
void draw_general_row(const struct operand *o, size_t row, float *values);
void fill_special(const struct operand *o);

/* A block of the special regime without NaN, infinities or extreme scales. In a half block the even
 * or odd elements are zeros, and the caller sets elements 2 pair and 2 pair + 1. */
struct half {
	bool is;
	unsigned odd; /* nonzero elements: 0, the even ones; 1, the odd ones */
	size_t pair;
};
void fill_plain_block(const struct operand *o, size_t row, size_t block, struct half half);

#endif
