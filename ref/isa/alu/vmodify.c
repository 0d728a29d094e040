/* OP_SEL, NEG, ABS, OMOD and CLAMP, and flushing of denormals by MODE [ISA 3.5, 6.2, 6.4]. */
#include "vector.h"

/* Formats of float elements, in their low bits. */
struct format {
	uint64_t sign, infinity, least_normal, one;
};

static struct format format_of(mx_operand_type t) {
	switch (t) {
	case MX_TYPE_B16:
	case MX_TYPE_F16:
	case MX_TYPE_PF16: return (struct format){ 0x8000, 0x7c00, 0x0400, 0x3c00 };
	case MX_TYPE_BF16:
	case MX_TYPE_PBF16: return (struct format){ 0x8000, 0x7f80, 0x0080, 0x3f80 };
	case MX_TYPE_B64:
	case MX_TYPE_F64:
		return (struct format){ 1ull << 63, 0x7ffull << 52, 1ull << 52, 0x3ffull << 52 };
	default: return (struct format){ 1u << 31, 0xffu << 23, 1u << 23, 0x7fu << 23 };
	}
}

/* FP_DENORM: bit 0 keeps denormal sources, bit 1 denormal results. */
static unsigned denorm(const struct mx_op *op, mx_operand_type t, uint32_t mode) {
	if (op->flags & MX_FLUSH)
		return 0;
	return mode >> (mx_mode_of_f64(t) ? MX_MODE_DENORM_F64 : MX_MODE_DENORM_F32) & 3;
}

bool mx_has_float_operands(const struct mx_op *op) {
	bool matters = mx_operand_types[op->type].is_float;
	for (unsigned i = 0; i < 3; i++)
		matters |= mx_operand_types[op->source_type[i]].is_float;
	return matters;
}

/* ---- elements of lanes: 16 bits, a dword, or a pair of dwords ---- */

static uint64_t element(mx_vreg *v, unsigned l, const struct mx_type_info *t, unsigned e) {
	if (t->bits == 64)
		return v[0][l] | (uint64_t)v[1][l] << 32;
	return t->bits == 32 ? v[e][l] : v[0][l] >> 16 * e & 0xffff;
}

static void put_element(mx_vreg *v, unsigned l, const struct mx_type_info *t, unsigned e,
                        uint64_t value) {
	if (t->bits == 64) {
		v[0][l] = (uint32_t)value;
		v[1][l] = (uint32_t)(value >> 32);
	} else if (t->bits == 32)
		v[e][l] = (uint32_t)value;
	else
		v[0][l] = (v[0][l] & ~(0xffffu << 16 * e)) | (uint32_t)value << 16 * e;
}

/* ---- sources ---- */

static void choose_packed(const struct mx_type_info *t, bool low, bool high, mx_vreg *v) {
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint64_t first = element(v, l, t, low), second = element(v, l, t, high);
		put_element(v, l, t, 0, first);
		put_element(v, l, t, 1, second);
	}
}

void mx_choose_halves(const struct mx_inst *in, unsigned i, mx_vreg *v) {
	const struct mx_type_info *t = &mx_operand_types[in->op->source_type[i]];
	bool low = in->op_sel >> i & 1, high = in->op_sel_hi >> i & 1;
	if (in->op->flags & MX_OP_SEL)
		return;
	if (t->elements == 2 && in->op->encoding == MX_VOP3P)
		choose_packed(t, low, high, v);
	else if (t->elements == 1 && t->bits == 16 && low)
		for (unsigned l = 0; l < MX_LANES; l++)
			v[0][l] >>= 16;
}

/* NEG and ABS of element e. In packed instructions ABS is NEG of the second element. */
static uint64_t signs(const struct mx_inst *in, unsigned i, unsigned e, uint64_t v, uint64_t sign) {
	bool packed = in->op->encoding == MX_VOP3P;
	uint8_t neg = packed && e == 1 ? in->abs : in->neg;
	if (!packed && in->abs >> i & 1)
		v &= ~sign;
	return neg >> i & 1 ? v ^ sign : v;
}

static uint64_t flushed(uint64_t v, const struct format *f) {
	return (v & ~f->sign) < f->least_normal ? v & f->sign : v;
}

void mx_modify_source(const struct mx_inst *in, unsigned i, uint32_t mode, mx_vreg *v) {
	mx_operand_type type = in->op->source_type[i];
	const struct mx_type_info *t = &mx_operand_types[type];
	bool keep = !t->is_float || denorm(in->op, type, mode) & 1;
	bool signs_change = (in->neg | in->abs) >> i & 1 && !(in->op->flags & MX_OP_SEL) &&
	                    (t->is_float || in->op->flags & MX_NEG_ABS);
	struct format f = format_of(type);
	if (keep && !signs_change)
		return;
	for (unsigned l = 0; l < MX_LANES; l++)
		for (unsigned e = 0; e < t->elements; e++) {
			uint64_t x = element(v, l, t, e);
			if (signs_change)
				x = signs(in, i, e, x, f.sign);
			put_element(v, l, t, e, keep ? x : flushed(x, &f));
		}
}

/* ---- results ---- */

/* Times 2, 4 or 1/2. Denormals are flushed if OMOD applies, so only the exponent changes. -0
 * becomes +0 [ISA 6.2.2]. */
static uint64_t scaled(uint64_t v, unsigned omod, const struct format *f) {
	uint64_t magnitude = v & ~f->sign, sign = v & f->sign;
	if (magnitude >= f->infinity)
		return v;
	if (magnitude < f->least_normal)
		return 0;
	uint64_t half = magnitude - f->least_normal, more = f->least_normal * omod;
	if (omod == 3)
		return half < f->least_normal ? 0 : sign | half;
	return sign | (magnitude + more >= f->infinity ? f->infinity : magnitude + more);
}

/* Clamps to [0, 1]. NaN gives 0 if DX10_CLAMP of MODE is set, otherwise it is kept. */
static uint64_t clamped(uint64_t v, uint32_t mode, const struct format *f) {
	if ((v & ~f->sign) > f->infinity)
		return mode >> MX_MODE_DX10_CLAMP & 1 ? 0 : v;
	if (v & f->sign)
		return 0;
	return v > f->one ? f->one : v;
}

void mx_modify_result(const struct mx_inst *in, uint32_t mode, mx_vreg *d) {
	mx_operand_type type = in->op->type;
	const struct mx_type_info *t = &mx_operand_types[type];
	struct format f = format_of(type);
	bool keep = denorm(in->op, type, mode) & 2, ieee = mode >> MX_MODE_IEEE & 1;
	bool scales = in->omod && !keep && !ieee;
	if (!t->is_float || (keep && !in->clamp))
		return;
	for (unsigned l = 0; l < MX_LANES; l++)
		for (unsigned e = 0; e < t->elements; e++) {
			uint64_t v = element(d, l, t, e);
			v = keep ? v : flushed(v, &f);
			v = scales ? scaled(v, in->omod, &f) : v;
			put_element(d, l, t, e, in->clamp ? clamped(v, mode, &f) : v);
		}
}

void mx_place_half(const struct mx_inst *in, const uint32_t *old, uint32_t *d) {
	bool high = in->op_sel >> 3 & 1, keep = in->op->flags & MX_KEEP_HALF;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t half = d[l] & 0xffff;
		d[l] = high ? half << 16 | (old[l] & 0xffff)
		            : half | (keep ? old[l] & ~0xffffu : 0);
	}
}
