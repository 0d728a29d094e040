/* Decoded operands: integers, with an exponent for each block. */
#include "inside.h"

#include <stdlib.h>

enum { E8M0_BIAS = 127, E8M0_NAN = 0xff }; /* [OCP MX v1.0, 5.4.1] */

static bool shape_is_good(const struct exact_operand *o, const struct exact_format *f, size_t rows,
                          size_t k, size_t multiple) {
	size_t most = SIZE_MAX / sizeof(int64_t) / 2;
	size_t pad = multiple * EXACT_BLOCK;
	return k < most && pad < most && (!rows || k + pad < most / rows) &&
	       o->ld >= exact_packed_bytes(f, k) &&
	       o->ld_scales >= k / EXACT_BLOCK + (k % EXACT_BLOCK != 0);
}

static bool allocate(struct exact_rows *r) {
	size_t blocks = r->rows * r->blocks + 1; /* avoids an allocation of 0 bytes */
	r->sig = calloc(blocks * EXACT_BLOCK, sizeof *r->sig);
	r->flags = calloc(blocks * EXACT_BLOCK, sizeof *r->flags);
	r->block = calloc(blocks, sizeof *r->block);
	return r->sig && r->flags && r->block;
}

/* The values of all codes of a format of 8 or 4 bits, computed once per call. */
struct codes {
	unsigned bits;
	int64_t sig[256];
	uint8_t flags[256];
};

static void list_codes(const struct exact_format *f, struct codes *c) {
	c->bits = f->bits;
	for (unsigned code = 0; c->bits != 6 && code < 1u << c->bits; code++) {
		uint8_t byte = (uint8_t)code;
		c->flags[code] = (uint8_t)exact_element(f, &byte, 0, &c->sig[code]);
	}
}

static unsigned element(const struct exact_format *f, const struct codes *c, const uint8_t *codes,
                        size_t k, int64_t *sig) {
	if (c->bits == 6)
		return exact_element(f, codes, k, sig);
	unsigned code = c->bits == 8 ? codes[k] : codes[k / 2] >> 4 * (k % 2) & 15;
	*sig = c->sig[code];
	return c->flags[code];
}

static void decode_row(struct exact_rows *r, size_t row, const struct codes *all,
                       const uint8_t *codes, const uint8_t *scales, size_t k) {
	struct exact_block *block = r->block + row * r->blocks;
	size_t first = row * r->blocks * EXACT_BLOCK;

	for (size_t b = 0; b < r->blocks; b++) {
		int scale = b * EXACT_BLOCK < k ? scales[b] : 0;
		block[b].exp = exact_format_lsb(r->format) + scale - E8M0_BIAS;
	}
	for (size_t i = 0; i < k; i++) {
		unsigned flags = element(r->format, all, codes, i, &r->sig[first + i]);
		if (scales[i / EXACT_BLOCK] == E8M0_NAN)
			flags |= EXACT_NAN;
		r->flags[first + i] = flags;
		block[i / EXACT_BLOCK].flags |= flags & (EXACT_INF | EXACT_NAN);
	}
}

enum exact_status exact_operand_check(const struct exact_operand *o, size_t rows, size_t k,
                                      size_t multiple) {
	const struct exact_format *f = exact_format(o->format);
	if (!f)
		return EXACT_BAD_FORMAT;
	return shape_is_good(o, f, rows, k, multiple) ? EXACT_OK : EXACT_BAD_SHAPE;
}

enum exact_status exact_rows_decode(struct exact_rows *r, const struct exact_operand *o,
                                    size_t rows, size_t k, size_t multiple) {
	*r = (struct exact_rows){ .format = exact_format(o->format), .rows = rows };
	enum exact_status status = exact_operand_check(o, rows, k, multiple);
	if (status)
		return status;
	size_t pad = multiple * EXACT_BLOCK;
	r->blocks = (k + pad - 1) / pad * multiple;
	if (!allocate(r))
		return EXACT_NO_MEMORY;
	struct codes all;
	list_codes(r->format, &all);
	for (size_t i = 0; i < rows; i++)
		decode_row(r, i, &all, o->codes + i * o->ld, o->scales + i * o->ld_scales, k);
	return EXACT_OK;
}

void exact_rows_free(struct exact_rows *r) {
	free(r->sig);
	free(r->flags);
	free(r->block);
}

struct exact_row exact_row_at(const struct exact_rows *r, size_t row) {
	size_t first = row * r->blocks;
	return (struct exact_row){
		r->sig + first * EXACT_BLOCK,
		r->flags + first * EXACT_BLOCK,
		r->block + first,
	};
}
