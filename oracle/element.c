/* A copy of one element's operands, which a fault may change. */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32 };

static unsigned bytes_of_block(const char *format) {
	if (!strcmp(format, "E2M1"))
		return 16;
	return !strcmp(format, "E2M3") || !strcmp(format, "E3M2") ? 24 : 32;
}

const struct exact_operand *mx_element_operand(const struct exact_gemm *g, unsigned side) {
	return side ? &g->b : &g->a;
}

int mx_element_make(const struct exact_gemm *whole, struct mx_element_product *e) {
	*e = (struct mx_element_product){ .whole = *whole, .blocks = whole->k / BLOCK };
	for (unsigned s = 0; s < 2; s++) {
		e->block_bytes[s] = bytes_of_block(mx_element_operand(whole, s)->format);
		e->codes[s] = malloc(2 * (e->blocks + 1) * MX_BLOCK_BYTES);
		e->scales[s] = malloc(2 * (e->blocks + 1));
		if (!e->codes[s] || !e->scales[s])
			return -1;
	}
	return 0;
}

void mx_element_free(struct mx_element_product *e) {
	for (unsigned s = 0; s < 2; s++) {
		free(e->codes[s]);
		free(e->scales[s]);
	}
}

void mx_element_take(struct mx_element_product *e, unsigned side, size_t row) {
	const struct exact_operand *o = mx_element_operand(&e->whole, side);
	memcpy(e->codes[side], o->codes + row * o->ld, e->blocks * e->block_bytes[side]);
	memcpy(e->scales[side], o->scales + row * o->ld_scales, e->blocks);
}

static struct exact_operand own(const struct mx_element_product *e, unsigned side) {
	return (struct exact_operand){ mx_element_operand(&e->whole, side)->format, e->codes[side],
		                       e->scales[side], 2 * e->blocks * MX_BLOCK_BYTES,
		                       2 * e->blocks };
}

void mx_element_at(struct mx_element_product *e, size_t row, size_t col) {
	e->row = row;
	e->col = col;
	mx_element_take(e, 0, row);
	mx_element_take(e, 1, col);
	e->one = (struct exact_gemm){ 1, 1, e->blocks * BLOCK, own(e, 0), own(e, 1) };
}
