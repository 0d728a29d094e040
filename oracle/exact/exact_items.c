/* Operands with scales of any format, for blocks of 16 or 32: an element with its scale is one
 * item, and a product is a sum of items' products. */
#include "inside.h"

#include <stdlib.h>

bool exact_plain_scales(const struct exact_operand *o) {
	return (!o->scale || !strcmp(o->scale, "E8M0")) && exact_block_of(o) == EXACT_BLOCK;
}

size_t exact_block_of(const struct exact_operand *o) {
	return o->block ? o->block : EXACT_BLOCK;
}

/* Three bits of mantissa. */
static struct exact_item float_scale(unsigned magnitude, bool negative, int bias, unsigned nan) {
	unsigned exp = magnitude >> 3, man = magnitude & 7;
	int top = (int)(exp ? exp : 1) - bias;
	return (struct exact_item){
		.flags = (negative ? EXACT_NEGATIVE : 0) | (magnitude == nan ? EXACT_NAN : 0),
		.sig = magnitude == nan ? 0 : man | (exp ? 8 : 0),
		.exp = top - 3,
		.top = top,
	};
}

struct exact_item exact_scale_item(const struct exact_operand *o, uint8_t code) {
	if (!o->scale || !strcmp(o->scale, "E8M0"))
		return (struct exact_item){ code == E8M0_NAN ? EXACT_NAN : 0, code != E8M0_NAN,
			                    code - E8M0_BIAS, code - E8M0_BIAS };
	return !strcmp(o->scale, "E5M3") ? float_scale(code, false, 15, 0xff)
	                                 : float_scale(code & 0x7f, code >> 7, 7, 0x7f);
}

static unsigned width(uint64_t x) {
	return 64 - (unsigned)__builtin_clzll(x);
}

/* The element of this code, times the scale. */
static struct exact_item item_of(const struct exact_format *f, const struct exact_codes *all,
                                 uint8_t code, struct exact_item s) {
	uint64_t sig = (uint64_t)llabs(all->sig[code]);
	int up = sig && width(sig) > f->man_bits + 1 ? (int)(width(sig) - f->man_bits - 1) : 0;
	int exp = exact_format_lsb(f) + up;
	unsigned flags = all->flags[code], sign = (flags ^ s.flags) & EXACT_NEGATIVE;
	bool nan = (flags | s.flags) & EXACT_NAN || (flags & EXACT_INF && !s.sig);
	return (struct exact_item){ .flags = sign | (nan ? EXACT_NAN : flags & EXACT_INF),
		                    .sig = nan ? 0 : (sig >> up) * s.sig,
		                    .exp = exp + s.exp,
		                    .top = exp + (int)f->man_bits + s.top };
}

static void decode_row(struct exact_item *to, const struct exact_operand *o,
                       const struct exact_codes *all, size_t row, size_t k) {
	const struct exact_format *f = exact_format(o->format);
	size_t block = exact_block_of(o);
	for (size_t first = 0; first < k; first += block) {
		uint8_t code[EXACT_BLOCK];
		size_t n = k - first < block ? k - first : block;
		struct exact_item s =
			exact_scale_item(o, o->scales[row * o->ld_scales + first / block]);
		exact_unpack(f, o->codes + row * o->ld, first, n, code);
		for (size_t i = 0; i < n; i++)
			to[first + i] = item_of(f, all, code[i], s);
	}
}

enum exact_status exact_items_decode(struct exact_items *x, const struct exact_operand *o,
                                     size_t rows, size_t k, size_t multiple) {
	enum exact_status status = exact_operand_shape(o, rows, k, multiple);
	size_t pad = multiple * EXACT_BLOCK;
	struct exact_codes all;
	*x = (struct exact_items){ .rows = rows };
	if (status)
		return status;
	x->width = (k + pad - 1) / pad * pad;
	if (!(x->item = calloc(rows * x->width + 1, sizeof *x->item)))
		return EXACT_NO_MEMORY;
	exact_list_codes(exact_format(o->format), &all);
	for (size_t i = 0; i < rows; i++)
		decode_row(x->item + i * x->width, o, &all, i, k);
	return EXACT_OK;
}

/* ---- products ---- */

static unsigned special(const struct exact_item *a, const struct exact_item *b) {
	unsigned either = (a->flags | b->flags) & (EXACT_INF | EXACT_NAN);
	bool zero = (!a->sig && !(a->flags & EXACT_INF)) || (!b->sig && !(b->flags & EXACT_INF));
	if (!either)
		return 0;
	if (either & EXACT_NAN || zero)
		return EXACT_SEEN_NAN;
	return (a->flags ^ b->flags) & EXACT_NEGATIVE ? EXACT_SEEN_MINUS_INF : EXACT_SEEN_PLUS_INF;
}

/* One element; terms has room for a term more than there are products. */
static uint32_t sum_of(const struct exact_item *a, const struct exact_item *b, size_t n, bool odd,
                       struct exact_term *terms) {
	unsigned seen = 0;
	for (size_t k = 0; k < n; k++) {
		__int128 sig = (__int128)(a[k].sig * b[k].sig);
		bool negative = (a[k].flags ^ b[k].flags) & EXACT_NEGATIVE;
		seen |= special(&a[k], &b[k]);
		terms[k] = (struct exact_term){ negative ? -sig : sig, a[k].exp + b[k].exp };
	}
	return seen ? exact_special_sum(seen) : odd ? exact_sum_odd(terms, n) : exact_sum(terms, n);
}

enum exact_status exact_items_product(const struct exact_gemm *g, enum exact_output output,
                                      uint32_t *out) {
	struct exact_items a, b = { 0 };
	struct exact_term *terms = NULL;
	enum exact_status status = exact_items_decode(&a, &g->a, g->m, g->k, 1);
	if (!status)
		status = exact_items_decode(&b, &g->b, g->n, g->k, 1);
	if (!status && !(terms = calloc(a.width + 1, sizeof *terms)))
		status = EXACT_NO_MEMORY;
	for (size_t i = 0; !status && i < g->m * g->n; i++)
		out[i] = exact_narrow(sum_of(a.item + i / g->n * a.width,
		                             b.item + i % g->n * b.width, a.width,
		                             output != EXACT_F32, terms),
		                      output);
	free(a.item), free(b.item), free(terms);
	return status;
}
