/* Typed buffers: loads and stores that convert elements of a data format and a numeric format [ISA
 * 9.1.2 to 9.1.4]. The manual names the formats but not the conversions. A conversion is exact if
 * it has only one possible result: integers and floats that both formats can hold, and the limits
 * of normalised ranges. Direct3D's "Data Conversion Rules", which apply to texture units, define
 * more: clamping of normalised numbers, NaN to 0, and the nearest fraction except near ties. The
 * rest is assumed and noted. */
#include <math.h>
#include <string.h>

#include "../encoding/buffer_formats.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "vmem.h"

enum { SELECT_0, SELECT_1, SELECT_X = 4 }; /* DST_SEL */

/* ---- m->format: data format 3:0, numeric format 6:4, DST_SEL 19:8 ---- */

static const uint8_t *layout(const struct mx_memop *m) {
	return mx_data_formats[m->format & 15];
}
static unsigned numeric(const struct mx_memop *m) {
	return m->format >> 4 & 7;
}
static unsigned select(const struct mx_memop *m, unsigned component) {
	return m->format >> (8 + 3 * component) & 7;
}
static bool is_integer(const struct mx_memop *m) {
	return numeric(m) == MX_NUMERIC_UINT || numeric(m) == MX_NUMERIC_SINT;
}

/* The position of a component in bits; with component 4, the size of the element. */
static unsigned position(const struct mx_memop *m, unsigned component) {
	unsigned n = 0;
	for (unsigned i = 0; i < component; i++)
		n += layout(m)[i];
	return n;
}

static bool is_packed(const struct mx_memop *m) {
	return layout(m)[1] % 8;
}

/* 32 bits are not converted, 8 bits have no float, and packed floats are unsigned with 10 and 11
 * bits. */
static bool exists(const struct mx_memop *m) {
	unsigned bits = layout(m)[0], n = numeric(m);
	if (!bits || n == MX_NUMERIC_RESERVED)
		return false;
	if (bits == 32)
		return is_integer(m) || n == MX_NUMERIC_FLOAT;
	return n != MX_NUMERIC_FLOAT || bits == 16 || (is_packed(m) && !layout(m)[3]);
}

unsigned mx_typed_bytes(const struct mx_memop *m) {
	return position(m, 4) / 8;
}

unsigned mx_typed_element(struct mx_wave *w, struct mx_memop *m, uint32_t word3) {
	const struct mx_inst *in = m->in;
	if (in->op->encoding == MX_MTBUF)
		m->format = in->mem.format | 07654u << 8;
	else
		m->format = (word3 >> 15 & 15) | (word3 >> 12 & 7) << 4 | (word3 & 0xfff) << 8;
	if (!exists(m))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE(FORMAT_PAIR, m->format & 15, numeric(m)));
	for (unsigned i = 0; i < in->op->d; i++) {
		unsigned s = select(m, i);
		bool straight = s == SELECT_X + i || !layout(m)[i];
		if (in->op->flags & MX_STORE ? !straight : s == 2 || s == 3)
			mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(DST_SEL, s, i));
	}
	if (in->op->flags & MX_STORE && is_packed(m) && in->op->d < 4 && layout(m)[in->op->d])
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(PACKED_PART));
	return mx_typed_bytes(m);
}

/* ---- from memory ---- */

static uint32_t bits_of(float f) {
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return u;
}
static float float_of(uint32_t u) {
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}
static int32_t sign_extend(uint32_t v, unsigned bits) {
	return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static uint32_t decode(uint32_t v, unsigned bits, unsigned numeric) {
	float most = (float)((1u << (bits - 1)) - 1), s = (float)sign_extend(v, bits);
	if (bits == 32)
		return v;
	switch (numeric) {
	case MX_NUMERIC_UNORM: return bits_of((float)v / (float)((1u << bits) - 1));
	case MX_NUMERIC_SNORM: return bits_of(s < -most ? -1 : s / most);
	case MX_NUMERIC_USCALED: return bits_of((float)v);
	case MX_NUMERIC_SSCALED: return bits_of(s);
	case MX_NUMERIC_SINT: return (uint32_t)sign_extend(v, bits);
	case MX_NUMERIC_FLOAT: /* 10 and 11 bits are the upper bits of a positive f16 */
		return mx_f16_to_f32((mx_f16){ (uint16_t)(v << (bits < 16 ? 15 - bits : 0)) }).v;
	default: return v;
	}
}

/* Reads a component from memory; an element of up to 4 bytes is read as a whole. */
static uint32_t read_component(struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                               unsigned c, uint32_t *unwritten) {
	unsigned bits = layout(m)[c], at = position(m, c), element = position(m, 4);
	uint32_t mask = ~0u >> (32 - bits);
	if (element > 32)
		return mx_lane_read(w, m, lane, at / 8, bits / 8, unwritten);
	uint32_t v = mx_lane_read(w, m, lane, 0, element / 8, unwritten);
	*unwritten = *unwritten >> at & mask;
	return v >> at & mask;
}

static void assume(struct mx_wave *w, const struct mx_memop *m, unsigned lane, mx_assumption rule) {
	mx_assume(w, m->in, UINT64_C(1) << lane, rule);
}

/* Of the quotients by 2^n - 1, a float represents only the limits and 0 exactly. */
static bool is_inexact_quotient(const struct mx_memop *m, uint32_t v) {
	unsigned n = numeric(m);
	float f = fabsf(float_of(v));
	return (n == MX_NUMERIC_UNORM || n == MX_NUMERIC_SNORM) && f != 0 && f != 1;
}

/* Component i of a lane after DST_SEL, as 32 bits. Components that the format does not have are 0
 * [ISA 9.1.4: X000, XY00, XYZ0]. Outside the buffer all are 0, except constants of 1. */
static uint32_t component(struct mx_wave *w, const struct mx_memop *m, unsigned lane, unsigned i,
                          uint32_t *unwritten) {
	unsigned s = select(m, i);
	*unwritten = 0;
	if (s == SELECT_1)
		return is_integer(m) ? 1 : bits_of(1);
	if (s < SELECT_X || !m->inside[lane] || !layout(m)[s - SELECT_X])
		return 0;
	uint32_t v = read_component(w, m, lane, s - SELECT_X, unwritten);
	*unwritten = *unwritten ? ~0u : 0;
	v = decode(v, layout(m)[s - SELECT_X], numeric(m));
	if (is_inexact_quotient(m, v))
		assume(w, m, lane, MX_ASSUMES_NORMALISED);
	return v;
}

uint32_t mx_typed_first(struct mx_wave *w, const struct mx_memop *m, unsigned lane,
                        uint32_t *unwritten) {
	return component(w, m, lane, 0, unwritten);
}

/* To 16 bits: integers lose their upper bits, floats are rounded to nearest even. */
static uint32_t to_half(struct mx_wave *w, const struct mx_memop *m, unsigned lane, uint32_t v) {
	uint16_t h = is_integer(m) ? (uint16_t)v : mx_f16_from_f32((mx_f32){ v }).v;
	bool same = numeric(m) == MX_NUMERIC_SINT   ? (uint32_t)(int16_t)h == v
	            : numeric(m) == MX_NUMERIC_UINT ? h == v
	                                            : mx_f16_to_f32((mx_f16){ h }).v == v;
	if (!same)
		assume(w, m, lane, is_integer(m) ? MX_ASSUMES_TO_SHORT : MX_ASSUMES_TO_HALF);
	return h;
}

static void load_lane(struct mx_wave *w, struct mx_memop *m, unsigned l) {
	uint32_t flags = m->in->op->flags;
	bool half = flags & (MX_D16 | MX_D16_HI);
	for (unsigned k = 0; k < 4; k++)
		m->data[k][l] = m->unwritten[k][l] = 0;
	for (unsigned i = 0; i < m->in->op->d; i++) {
		unsigned shift = flags & MX_D16_HI || (half && i % 2) ? 16 : 0,
			 k = half ? i / 2 : i;
		uint32_t unwritten, v = component(w, m, l, i, &unwritten);
		m->data[k][l] |= (half ? to_half(w, m, l, v) : v) << shift;
		m->unwritten[k][l] |= (half ? unwritten & 0xffff : unwritten) << shift;
	}
}

/* ---- to memory ---- */

/* A rounded product. Direct3D accepts each integer within 0.6 of the product, so near a tie two are
 * possible. */
static uint32_t normalise(float f, double most, double least, bool *sure) {
	double v = isnan(f) ? 0 : (double)f < least ? least : f > 1 ? 1 : (double)f;
	double fraction = fabs(v * most - trunc(v * most));
	*sure = fraction < 0.4 || fraction > 0.6;
	return (uint32_t)(int32_t)rint(v * most);
}

static uint32_t clamp(double v, double least, double most, bool *sure) {
	double r = isnan(v) ? 0 : rint(v < least ? least : v > most ? most : v);
	*sure = r == v;
	return (uint32_t)(int64_t)r;
}

/* Converts to an f16, or to the upper 10 or 11 bits of a positive f16. */
static uint32_t encode_float(uint32_t v, unsigned bits, bool *sure) {
	uint32_t h = mx_f16_from_f32((mx_f32){ v }).v, cut = bits < 16 ? 15 - bits : 0;
	*sure = mx_f16_to_f32((mx_f16){ (uint16_t)(h >> cut << cut) }).v == v &&
	        (bits == 16 || h < 0x8000);
	return h >> cut;
}

static uint32_t encode(uint32_t v, unsigned bits, unsigned numeric, bool *sure) {
	double high = ldexp(1, (int)bits - 1) - 1, all = ldexp(1, (int)bits) - 1;
	*sure = true;
	if (bits == 32)
		return v;
	switch (numeric) {
	case MX_NUMERIC_UNORM: return normalise(float_of(v), all, 0, sure);
	case MX_NUMERIC_SNORM: return normalise(float_of(v), high, -1, sure);
	case MX_NUMERIC_USCALED: return clamp(float_of(v), 0, all, sure);
	case MX_NUMERIC_SSCALED: return clamp(float_of(v), -high - 1, high, sure);
	case MX_NUMERIC_SINT: return clamp((int32_t)v, -high - 1, high, sure);
	case MX_NUMERIC_FLOAT: return encode_float(v, bits, sure);
	default: return clamp(v, 0, all, sure);
	}
}

/* Component i of a lane's data, as 32 bits. */
static uint32_t datum(const struct mx_memop *m, unsigned lane, unsigned i) {
	if (!(m->in->op->flags & (MX_D16 | MX_D16_HI)))
		return m->data[i][lane];
	uint32_t h = m->data[i / 2][lane] >> 16 * (i % 2) & 0xffff;
	return numeric(m) == MX_NUMERIC_UINT   ? h
	       : numeric(m) == MX_NUMERIC_SINT ? (uint32_t)(int16_t)h
	                                       : mx_f16_to_f32((mx_f16){ (uint16_t)h }).v;
}

static bool datum_unwritten(const struct mx_memop *m, unsigned lane, unsigned i) {
	bool half = m->in->op->flags & (MX_D16 | MX_D16_HI);
	return half ? m->unwritten[i / 2][lane] >> 16 * (i % 2) & 0xffff : m->unwritten[i][lane];
}

/* Stores the components that both the opcode and the format have, each at its own address or
 * packed. */
static void store_lane(struct mx_wave *w, struct mx_memop *m, unsigned l) {
	uint32_t packed = 0, unwritten = 0;
	for (unsigned i = 0; i < m->in->op->d && layout(m)[i]; i++) {
		bool sure;
		unsigned bits = layout(m)[i], at = position(m, i);
		uint32_t mask = ~0u >> (32 - bits), v = datum(m, l, i);
		uint32_t u = datum_unwritten(m, l, i) ? mask : 0;
		uint32_t r = encode(v, bits, numeric(m), &sure) & mask;
		if (!sure)
			assume(w, m, l, mx_typed_store_rests_on(bits, numeric(m)));
		if (!is_packed(m))
			mx_lane_write(w, m, l, at / 8, bits / 8, r, u);
		else {
			packed |= r << at;
			unwritten |= u << at;
		}
	}
	if (is_packed(m))
		mx_lane_write(w, m, l, 0, 4, packed, unwritten);
}

/* ---- the operation ---- */

static unsigned registers(const struct mx_inst *in) {
	return in->op->flags & MX_D16 ? (in->op->d + 1) / 2 : in->op->d;
}

static void land_load(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	load_lane(w, m, l);
	for (unsigned k = 0; k < registers(m->in); k++)
		mx_vwrite(w, mx_row_at(m->in, MX_AT_RESULT) + k, m->exec, m->data[k],
		          m->unwritten[k]);
}

static void land_store(struct mx_wave *w, struct mx_memop *m) {
	unsigned l;
	MX_FOR_LANES(l, m->exec)
	if (m->inside[l])
		store_lane(w, m, l);
}

static bool check_lanes(struct mx_wave *w, const struct mx_memop *m) {
	unsigned bytes = mx_typed_bytes(m), l;
	MX_FOR_LANES(l, m->exec)
	for (unsigned k = 0; m->inside[l] && k < mx_dwords(bytes); k++)
		if (!mx_lane_check(w, m, l, 4 * k, mx_part_bytes(bytes, k),
		                   m->in->op->flags & MX_STORE))
			return false;
	return true;
}

bool mx_prepare_typed(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_inst *in = m->in;
	bool half = in->op->flags & (MX_D16 | MX_D16_HI);
	if (!in->mem.lds && !mx_vgprs_exist(w, in, mx_data_row(in), registers(in)))
		return false;
	if (!check_lanes(w, m))
		return false;
	m->land = land_load;
	if (in->op->flags & MX_STORE) {
		mx_take_store_data(w, m, mx_operand_at(in, MX_AT_DATA), (half ? 2 : 4) * in->op->d,
		                   true);
		m->land = land_store;
	} else if (in->mem.lds)
		mx_prepare_lds(w, m);
	return true;
}
