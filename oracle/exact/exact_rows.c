/* Decoded operands: integers, with an exponent for each block. */
#include "inside.h"

#include <stdlib.h>

static bool shape_is_good(const struct exact_operand *o, const struct exact_format *f, size_t rows,
                          size_t k, size_t multiple) {
	size_t most = SIZE_MAX / sizeof(int64_t) / 2;
	size_t pad = multiple * EXACT_BLOCK;
	return k < most && pad < most && (!rows || k + pad < most / rows) &&
	       o->ld >= exact_packed_bytes(f, k) &&
	       o->ld_scales >= k / exact_block_of(o) + (k % exact_block_of(o) != 0);
}

static bool allocate(struct exact_rows *r) {
	size_t blocks = r->rows * r->blocks + 1; /* avoids an allocation of 0 bytes */
	r->sig = calloc(blocks * EXACT_BLOCK, sizeof *r->sig);
	r->flags = calloc(blocks * EXACT_BLOCK, sizeof *r->flags);
	r->block = calloc(blocks, sizeof *r->block);
	return r->sig && r->flags && r->block;
}

static void decode_block(struct exact_rows *r, size_t at, const struct exact_codes *all,
                         const uint8_t *codes, size_t k, size_t n, bool nan_scale) {
	uint8_t code[EXACT_BLOCK];
	unsigned seen = 0;
	exact_unpack(r->format, codes, k, n, code);
	for (size_t i = 0; i < n; i++) {
		unsigned flags = all->flags[code[i]] | (nan_scale ? EXACT_NAN : 0);
		r->sig[at * EXACT_BLOCK + i] = all->sig[code[i]];
		r->flags[at * EXACT_BLOCK + i] = (uint8_t)flags;
		seen |= flags;
	}
	r->block[at].flags = seen & (EXACT_INF | EXACT_NAN);
}

static void decode_row(struct exact_rows *r, size_t row, const struct exact_codes *all,
                       const uint8_t *codes, const uint8_t *scales, size_t k) {
	for (size_t b = 0; b < r->blocks; b++) {
		size_t at = row * r->blocks + b, first = b * EXACT_BLOCK;
		bool data = first < k;
		size_t left = data ? k - first : 0;
		r->block[at].exp = exact_format_lsb(r->format) + (data ? scales[b] : 0) - E8M0_BIAS;
		if (data)
			decode_block(r, at, all, codes, first,
			             left < EXACT_BLOCK ? left : EXACT_BLOCK,
			             scales[b] == E8M0_NAN);
	}
}

static bool scales_are_known(const struct exact_operand *o) {
	return (exact_block_of(o) == 16 || exact_block_of(o) == EXACT_BLOCK) &&
	       (!o->scale || !strcmp(o->scale, "E8M0") || !strcmp(o->scale, "E5M3") ||
	        !strcmp(o->scale, "E4M3"));
}

enum exact_status exact_operand_check(const struct exact_operand *o, size_t rows, size_t k,
                                      size_t multiple) {
	return exact_plain_scales(o) ? exact_operand_shape(o, rows, k, multiple) : EXACT_BAD_FORMAT;
}

enum exact_status exact_operand_shape(const struct exact_operand *o, size_t rows, size_t k,
                                      size_t multiple) {
	const struct exact_format *f = exact_format(o->format);
	if (!f || !scales_are_known(o))
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
	struct exact_codes all;
	exact_list_codes(r->format, &all);
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
