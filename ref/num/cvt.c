/* The conversion instructions of gfx950 and gfx1250, one lane at a time, from the tables cvt.def
 * and cvt_gfx1250.def. */
#include "number.h"

#include <string.h>

enum { SCALE_NAN = 0xFF, SCALE_BIAS = 127, MOST_DWORDS = 32 };

enum scale { PLAIN, SCALED, EXPONENT, BYTES };
enum rounding { RNE, SR, SR_HALVES };

static const struct row {
	const char *name;
	enum scale scale;
	enum rounding rounding;
	enum mx_type from, to;
	uint8_t values, data;
} rows[] = {
#define MX_CVT(enc, id, from, to, n, ops, scale, round)                                            \
	[MX_CVT_##id] = { "v_cvt_" #id, scale, round, MX_TYPE_##from, MX_TYPE_##to, n, ops },
#include "cvt.def"
#include "cvt_gfx1250.def"
#undef MX_CVT
};
#define MX_CVT(...) +1
_Static_assert(sizeof rows / sizeof *rows == MX_CVTS && 0
#include "cvt.def"
#include "cvt_gfx1250.def"
                                                                == MX_CVTS,
               "mxref.h and the tables agree");
#undef MX_CVT

static unsigned bits(enum mx_type t) {
	return mx_types[t].bits;
}

static bool widens(const struct row *r) {
	return bits(r->from) < bits(r->to);
}

/* Bits of one data operand that hold values, and of the result. */
static unsigned source_width(const struct row *r) {
	return r->values / r->data * bits(r->from);
}

static unsigned result_width(const struct row *r) {
	return r->values * bits(r->to);
}

static unsigned dwords(unsigned width) {
	return (width + 31) / 32;
}

/* The first bit of the source's values, and of the result, by OP_SEL. */
static unsigned source_start(const struct row *r, unsigned op_sel) {
	if ((!widens(r) && r->scale) || source_width(r) > 16)
		return 0;
	return source_width(r) == 8 ? (op_sel & 3) * 8 : (op_sel & 1) * 16;
}

static unsigned result_start(const struct row *r, unsigned op_sel) {
	if (result_width(r) > 16)
		return 0;
	return result_width(r) == 8 ? (op_sel >> 2 & 3) * 8 : (op_sel >> 3 & 1) * 16;
}

/* The bits of OP_SEL that change one of the starts. */
static uint8_t op_sel_bits(const struct row *r) {
	uint8_t mask = 0;
	for (unsigned bit = 1; bit < 16; bit <<= 1)
		mask |= source_start(r, bit) || result_start(r, bit) ? bit : 0;
	return mask;
}

struct mx_cvt_info mx_cvt_info(mx_cvt_op op) {
	if ((unsigned)op >= MX_CVTS)
		return (struct mx_cvt_info){ 0 };
	const struct row *r = &rows[op];
	return (struct mx_cvt_info){
		.name = r->name,
		.from = mx_types[r->from].name,
		.to = mx_types[r->to].name,
		.values = r->values,
		.data = r->data,
		.data_dwords = dwords(source_width(r)),
		.dst_dwords = dwords(result_width(r)),
		.scaled = r->scale,
		.stochastic = r->rounding,
		.partial = result_width(r) < 32,
		.op_sel = op_sel_bits(r),
		.scale_byte = r->scale == BYTES,
	};
}

bool mx_cvt_by_name(const char *name, mx_cvt_op *op) {
	for (int i = 0; name && op && i < MX_CVTS; i++)
		if (!strcmp(name, rows[i].name)) {
			*op = i;
			return true;
		}
	return false;
}

uint32_t mx_prng(uint32_t state) {
	return state << 1 ^ (state >> 31 ? 197 : 0);
}

/* n bits from bit `at`; n <= 32. */
static uint32_t get_bits(const uint32_t *words, unsigned at, unsigned n) {
	uint64_t window = words[at / 32];
	if (at % 32 + n > 32)
		window |= (uint64_t)words[at / 32 + 1] << 32;
	return (uint32_t)(window >> at % 32) & UINT32_MAX >> (32 - n);
}

/* The bits must be zero. */
static void put_bits(uint32_t *words, unsigned at, unsigned n, uint32_t value) {
	words[at / 32] |= value << at % 32;
	if (at % 32 + n > 32)
		words[at / 32 + 1] |= value >> (32 - at % 32);
}

/* A format, or E5M3 instead of E4M3. */
static const struct mx_format_info *format(enum mx_type t, const struct mx_cvt_args *a) {
	return &mx_types[t == MX_TYPE_E4M3 && a->e5m3 ? MX_TYPE_E5M3 : t];
}

/* The bits of value i in the data operands. */
static uint32_t value_bits(const struct row *r, unsigned op_sel, const uint32_t *source,
                           unsigned i) {
	unsigned operand = i % r->data * dwords(source_width(r)) * 32;
	unsigned at = operand + source_start(r, op_sel) + i / r->data * bits(r->from);
	return get_bits(source, at, bits(r->from));
}

static struct mx_number value(const struct row *r, const struct mx_cvt_args *a, unsigned i) {
	uint32_t code = value_bits(r, a->op_sel, a->source, i);
	if (r->from == MX_TYPE_FP32 && a->flush_f32 && !(code & MX_F32_INF))
		code &= MX_F32_SIGN;
	return mx_decode(format(r->from, a), code);
}

static struct mx_number scaled(const struct row *r, uint32_t scale, struct mx_number x) {
	int e = scale >> MX_F32_MAN & 0xFF;
	if (e == SCALE_NAN)
		return (struct mx_number){ .kind = MX_NAN, .negative = x.negative };
	x.exp += widens(r) ? e - SCALE_BIAS : SCALE_BIAS - e;
	return x;
}

/* FP16_OVFL clamps an overflow; in FP8 it clamps infinity too. */
static mx_overflow overflow(const struct row *r, bool fp16_ovfl, struct mx_number x) {
	bool clamps = bits(r->to) == 8 || (r->to == MX_TYPE_FP16 && x.kind == MX_NUMBER);
	return clamps && fp16_ovfl ? MX_SATURATE : MX_OVERFLOW;
}

static uint32_t encoded(const struct row *r, const struct mx_cvt_args *a, struct mx_number x,
                        uint32_t random) {
	const struct mx_format_info *to = format(r->to, a);
	x.negative &= to->bits == bits(r->to); /* E5M3 has no sign */
	return mx_encode(to, x, r->rounding ? MX_SR : MX_RNE, overflow(r, a->fp16_ovfl, x), random);
}

/* The random number of the next value. */
static uint32_t next(const struct row *r, uint32_t random) {
	return r->rounding == SR_HALVES ? random >> 16 : mx_prng(random);
}

mx_status mx_cvt(mx_cvt_op op, const struct mx_cvt_args *a, uint32_t *d) {
	uint32_t out[MOST_DWORDS] = { 0 };
	if ((unsigned)op >= MX_CVTS)
		return MX_BAD_OPTION;
	if (!a || !a->source || !d)
		return MX_BAD_POINTER;
	const struct row *r = &rows[op];
	if (a->op_sel && a->op_sel & ~op_sel_bits(r))
		return MX_BAD_OPTION;
	uint32_t random = a->random;
	unsigned start = result_start(r, a->op_sel), n = bits(r->to);
	for (unsigned i = 0; i < r->values; i++, random = next(r, random)) {
		struct mx_number x = value(r, a, i);
		if (r->scale)
			x = scaled(r, a->scale, x);
		put_bits(out, start + i * n, n,
		         encoded(r, a, x, r->rounding == SR_HALVES ? random << 16 : random));
	}
	if (result_width(r) < 32) /* the other bits are kept */
		out[0] |= a->old & ~(mx_ones(result_width(r)) << start);
	memcpy(d, out, dwords(result_width(r)) * sizeof *d);
	return MX_OK;
}

mx_status mx_cvt_dependents(mx_cvt_op op, uint8_t op_sel, const uint32_t *bits_in, uint32_t *d) {
	uint32_t out[MOST_DWORDS] = { 0 };
	if ((unsigned)op >= MX_CVTS)
		return MX_BAD_OPTION;
	if (!bits_in || !d)
		return MX_BAD_POINTER;
	const struct row *r = &rows[op];
	if (op_sel && op_sel & ~op_sel_bits(r))
		return MX_BAD_OPTION;
	unsigned start = result_start(r, op_sel), n = bits(r->to);
	for (unsigned i = 0; i < r->values; i++)
		if (value_bits(r, op_sel, bits_in, i))
			put_bits(out, start + i * n, n, UINT32_MAX >> (32 - n));
	memcpy(d, out, dwords(result_width(r)) * sizeof *d);
	return MX_OK;
}

mx_status mx_cvt_scale_place(mx_cvt_op op, unsigned scale_sel, unsigned lane, unsigned *from,
                             unsigned *byte) {
	enum { LANES = 32, HALF = 16 };
	if ((unsigned)op >= MX_CVTS || rows[op].scale != BYTES || lane >= LANES)
		return MX_BAD_OPTION;
	if (!from || !byte)
		return MX_BAD_POINTER;
	unsigned wide = bits(rows[op].from) == 8, half = lane / HALF;
	unsigned by_16 = scale_sel & 1, first = scale_sel >> 1 & (wide ? 3 : 1);
	unsigned upper = scale_sel >> (wide ? 3 : 2);
	if (upper > 1 || (wide && by_16 && first != 2 * upper))
		return MX_BAD_OPTION;
	*from = HALF * upper + lane % HALF;
	*byte = wide ? first + by_16 * half : by_16 ? first + 2 * half : 2 * first + half;
	return MX_OK;
}
