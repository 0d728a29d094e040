/* The arithmetic of atomic operations [ISA 9.2, 12.12 to 12.15].
 *
 * Floating point works on bit fields, except for the sum, which is the host's IEEE 754 addition of
 * doubles. For f16, bf16 and f32 double rounding is harmless: 53 bits are at least twice their
 * precision plus two, and sums below their normals are exact. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "atomic.h"

/* ---- integers ---- */

#define INTEGER(name, expression)                                                                  \
	uint64_t mx_rmw_##name##32(const struct mx_rmw *x) {                                       \
		typedef int32_t sint;                                                              \
		uint32_t m = (uint32_t)x->old, d = (uint32_t)x->data, c = (uint32_t)x->compare;    \
		(void)m, (void)c, (void)(sint)0;                                                   \
		return (uint32_t)(expression);                                                     \
	}                                                                                          \
	uint64_t mx_rmw_##name##64(const struct mx_rmw *x) {                                       \
		typedef int64_t sint;                                                              \
		uint64_t m = x->old, d = x->data, c = x->compare;                                  \
		(void)m, (void)c, (void)(sint)0;                                                   \
		return (uint64_t)(expression);                                                     \
	}

/* m: memory; d, c: data. */
INTEGER(swap, d)
INTEGER(cmpswap, m == c ? d : m)
INTEGER(add, m + d)
INTEGER(sub, m - d)
INTEGER(rsub, d - m)
INTEGER(inc, m >= d ? 0 : m + 1)
INTEGER(dec, m == 0 || m > d ? d : m - 1)
INTEGER(smin, (sint)d < (sint)m ? d : m)
INTEGER(umin, d < m ? d : m)
INTEGER(smax, (sint)d > (sint)m ? d : m)
INTEGER(umax, d > m ? d : m)
INTEGER(and, m &d)
INTEGER(or, m | d)
INTEGER(xor, m ^ d)
INTEGER(mskor, (m & ~d) | c)
INTEGER(wrap, m >= d ? m - d : m + c)

/* Differences that would be negative: not stored, or zero [LLVM usub_cond, usub_sat]. */
uint64_t mx_rmw_cond_sub32(const struct mx_rmw *x) {
	uint32_t m = (uint32_t)x->old, d = (uint32_t)x->data;
	return m >= d ? m - d : m;
}
uint64_t mx_rmw_sub_clamp32(const struct mx_rmw *x) {
	uint32_t m = (uint32_t)x->old, d = (uint32_t)x->data;
	return m > d ? m - d : 0;
}

/* ---- floating point ---- */

/* Widths, and the position in MODE of the two denormal bits: keep inputs, keep outputs. */
struct layout {
	unsigned bits, mantissa, mode;
};
static const struct layout f16 = { 16, 10, 6 }, bf16 = { 16, 7, 6 }, f32 = { 32, 23, 4 },
			   f64 = { 64, 52, 6 };

static uint64_t sign_bit(const struct layout *f) {
	return 1ull << (f->bits - 1);
}
static uint64_t infinity(const struct layout *f) {
	return sign_bit(f) - (1ull << f->mantissa);
}
static uint64_t quiet_bit(const struct layout *f) {
	return 1ull << (f->mantissa - 1);
}
static bool is_nan(uint64_t v, const struct layout *f) {
	return (v & ~sign_bit(f)) > infinity(f);
}
static bool is_signaling(uint64_t v, const struct layout *f) {
	return is_nan(v, f) && !(v & quiet_bit(f));
}
static bool flushes_inputs(uint32_t mode, const struct layout *f) {
	return !(mode >> f->mode & 1);
}
static bool flushes_outputs(uint32_t mode, const struct layout *f) {
	return !(mode >> f->mode & 2);
}

/* A denormal becomes zero with the same sign. */
static uint64_t flush(uint64_t v, const struct layout *f) {
	return v & infinity(f) ? v : v & sign_bit(f);
}

static double widen(uint64_t v, const struct layout *f) {
	int exponent = (int)((v & infinity(f)) >> f->mantissa);
	int bias = (int)(infinity(f) >> (f->mantissa + 1));
	uint64_t m = v & ((1ull << f->mantissa) - 1);
	double d = (v & infinity(f)) == infinity(f)
	                   ? INFINITY
	                   : ldexp((double)(exponent ? m | 1ull << f->mantissa : m),
	                           (exponent ? exponent : 1) - bias - (int)f->mantissa);
	return v & sign_bit(f) ? -d : d;
}

/* Rounds to nearest even. A finite v is 0 or at least the format's smallest denormal. */
static uint64_t narrow(double v, const struct layout *f) {
	uint64_t u, sign = signbit(v) ? sign_bit(f) : 0;
	memcpy(&u, &v, sizeof u);
	int bias = (int)(infinity(f) >> (f->mantissa + 1));
	int exponent = (int)(u >> 52 & 0x7ff) - 1023 + bias;
	if (v == 0)
		return sign;
	if (exponent > 2 * bias)
		return sign | infinity(f);
	uint64_t m = (u & ((1ull << 52) - 1)) | 1ull << 52;
	unsigned shift = 52 - f->mantissa + (exponent < 1 ? (unsigned)(1 - exponent) : 0);
	uint64_t r = m >> shift, rest = m << (64 - shift);
	r += rest > 1ull << 63 || (rest == 1ull << 63 && r & 1);
	return sign | (r + (exponent < 1 ? 0 : (uint64_t)(exponent - 1) << f->mantissa));
}

static uint64_t host_add64(uint64_t a, uint64_t b) {
	double x, y;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	x += y;
	memcpy(&a, &x, sizeof a);
	return a;
}

/* A NaN result is quiet. With two NaN sources the first counts, which is memory (assumed). inf -
 * inf is the positive quiet NaN without payload [ISA 9.2.3]. */
static uint64_t add(uint64_t a, uint64_t b, uint32_t mode, const struct layout *f) {
	if (is_nan(a, f) || is_nan(b, f))
		return (is_nan(a, f) ? a : b) | quiet_bit(f);
	if (a == (b ^ sign_bit(f)) && (a & infinity(f)) == infinity(f))
		return infinity(f) | quiet_bit(f);
	if (f == &f64) /* never flushed [ISA table 53] */
		return host_add64(a, b);
	if (flushes_inputs(mode, f)) {
		a = flush(a, f);
		b = flush(b, f);
	}
	uint64_t r = narrow(widen(a, f) + widen(b, f), f);
	return flushes_outputs(mode, f) ? flush(r, f) : r;
}

/* The order of MIN and MAX as an unsigned number: -inf ... -0, +0 ... +inf. */
static uint64_t rank(uint64_t v, uint32_t mode, const struct layout *f) {
	if (flushes_inputs(mode, f))
		v = flush(v, f);
	return v & sign_bit(f) ? sign_bit(f) - (v & ~sign_bit(f)) - 1 : v | sign_bit(f);
}

/* A signaling NaN is the result, made quiet; a quiet NaN is ignored. For equal values memory is
 * kept (the pseudo-code replaces it only by a smaller or greater value). The result is the
 * unflushed source. */
static uint64_t extreme(const struct mx_rmw *x, const struct layout *f, bool max) {
	uint64_t m = x->old, d = x->data;
	if (is_signaling(m, f) || is_signaling(d, f))
		return (is_signaling(m, f) ? m : d) | quiet_bit(f);
	if (is_nan(d, f) || is_nan(m, f))
		return is_nan(d, f) ? m : d;
	uint64_t old = rank(m, x->mode, f), new = rank(d, x->mode, f);
	return (max ? new > old : new < old) ? d : m;
}

/* Compares as numbers: -0 equals 0, and NaN equals nothing. The stored value is flushed if inputs
 * are [ISA 9.2.2]. */
static uint64_t compare_swap(const struct mx_rmw *x, const struct layout *f) {
	uint64_t m = x->old, c = x->compare, d = x->data;
	if (flushes_inputs(x->mode, f)) {
		m = flush(m, f);
		c = flush(c, f);
		d = flush(d, f);
	}
	bool zeros = !((m | c) & ~sign_bit(f));
	return !is_nan(m, f) && (m == c || zeros) ? d : x->old;
}

static uint64_t add_halves(const struct mx_rmw *x, const struct layout *f) {
	return add(x->old & 0xffff, x->data & 0xffff, x->mode, f) |
	       add(x->old >> 16 & 0xffff, x->data >> 16 & 0xffff, x->mode, f) << 16;
}

#define FLOAT(name, expression)                                                                    \
	uint64_t mx_rmw_##name(const struct mx_rmw *x) {                                           \
		return expression;                                                                 \
	}

FLOAT(add_f32, add(x->old, x->data, x->mode, &f32))
FLOAT(add_f64, add(x->old, x->data, x->mode, &f64))
FLOAT(min_f32, extreme(x, &f32, false))
FLOAT(max_f32, extreme(x, &f32, true))
FLOAT(min_f64, extreme(x, &f64, false))
FLOAT(max_f64, extreme(x, &f64, true))
FLOAT(cmpswap_f32, compare_swap(x, &f32))
FLOAT(cmpswap_f64, compare_swap(x, &f64))
FLOAT(pk_add_f16, add_halves(x, &f16))
FLOAT(pk_add_bf16, add_halves(x, &bf16))

/* Two exchanges of 32 bits, each done if its data has the highest bit set [ISA 12.12]. */
uint64_t mx_rmw_condxchg32(const struct mx_rmw *x) {
	uint64_t v = x->old;
	for (unsigned shift = 0; shift < 64; shift += 32)
		if (x->data >> (shift + 31) & 1) {
			v &= ~(0xffffffffull << shift);
			v |= x->data & 0x7fffffffull << shift;
		}
	return v;
}

/* A barrier in LDS of gfx1250: the pending count in bits 28:0, the phase in 31:29, the count of the
 * next phase in 47:32. An arrival subtracts from the pending count. When the count would become
 * negative, the phase ends: it is decremented, and the count begins again [CDNA5 11.2.2]. The
 * manual has several widths of the count; 29 is that of compiled code (assumed). */
uint64_t mx_rmw_arrive64(const struct mx_rmw *x) {
	const uint64_t mask = (1ull << 29) - 1;
	uint64_t pending = x->old & mask, phase = x->old >> 29 & 7;
	uint64_t arrivals = (x->old >> 32 & 0xffff) + 1, upper = x->old & ~0xffffffffull;
	if (x->data <= pending)
		return x->old - x->data;
	uint64_t more = x->data - pending - 1;
	phase = (phase - 1 - more / arrivals) & 7;
	return upper | phase << 29 | (arrivals - 1 - more % arrivals);
}

mx_rmw_function *const mx_rmw_functions[] = {
	NULL,
#define MX_RMW(name, ...) mx_rmw_##name,
#include "../encoding/atomics.def"
#undef MX_RMW
};
