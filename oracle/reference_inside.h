/* What the judges of references share: a case's inputs as doubles, and its expected outputs. */
#ifndef MX_REFERENCE_INSIDE_H
#define MX_REFERENCE_INSIDE_H

#include "exact/reference.h"
#include "reference.h"
#include "values.h"

/* Rows and columns are those of the buffer. */
struct expected {
	double *value, *bound;
};

/* NULL: the case does not have it. */
static inline const struct mx_buffer *buffer_of(const struct mx_bench *b, mx_slot k) {
	int i = b->plan.reference.slot[k];
	return i < 0 ? NULL : &b->plan.buffers[i];
}

/* An element before the launch. */
static inline double input(const struct mx_bench *b, mx_slot k, size_t row, size_t col) {
	const struct mx_buffer *s = buffer_of(b, k);
	const uint8_t *data = b->data.bytes[b->plan.reference.slot[k]];
	bool by_cols = s->order == MX_ORDER_COL;
	return mx_value(s->type, data + mx_buffer_data(s, by_cols ? col : row),
	                by_cols ? row : col);
}

/* A number of a table; SIZE_MAX: it is negative. */
static inline size_t table(const struct mx_bench *b, mx_slot k, size_t row, size_t col) {
	double x = input(b, k, row, col);
	return x < 0 ? SIZE_MAX : (size_t)x;
}

/* reference_moe.c */
int mx_expect_moe(const struct mx_bench *b, struct expected *o, struct mx_error *err);

#endif
