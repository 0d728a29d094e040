/* Element formats, scales and conversions of the MX family: bits in, bits out.
 *
 * Every value is a code in a one-member struct, so that arithmetic on it by
 * accident does not compile. No function here uses host floating point, keeps
 * state, allocates, or fails: the argument types admit only valid input, and
 * an mx_format is one of the enumerators below.
 *
 * Sources: [OCP] OCP Microscaling Formats (MX) Specification v1.0.
 *          [ISA] AMD CDNA4 instruction set manual, chapter 7.
 */
#ifndef MX_NUM_H
#define MX_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint8_t v;
} mx_elem; /* element code in the low bits */
typedef struct {
	uint8_t v;
} mx_e8m0; /* block scale: 2^(v-127), 0xFF is NaN [OCP 5.4.1] */
typedef struct {
	uint16_t v;
} mx_bf16; /* bfloat16 bit pattern */
typedef struct {
	uint32_t v;
} mx_f32; /* IEEE binary32 bit pattern */

#define MX_BLOCK 32 /* elements that share one scale [OCP 5.1] */

/* Which codes of a format are not finite numbers. */
typedef enum {
	MX_FINITE,   /* none */
	MX_NAN_ONLY, /* all exponent and mantissa bits set is NaN; no infinity (E4M3) */
	MX_IEEE,     /* largest exponent: mantissa 0 is infinity, else NaN (E5M2) */
} mx_specials;

/* The enumerator is the cbsz/blgp code of the scaled MFMA. */
typedef enum {
#define MX_FORMAT(id, bits, exp, man, bias, specials, cbsz) MX_##id = cbsz,
#include "formats.def"
#undef MX_FORMAT
	MX_FORMATS = 5
} mx_format;

struct mx_format_info {
	const char *name; /* "E2M1" */
	uint8_t bits, exp_bits, man_bits, bias;
	mx_specials specials;
};

/* The row of formats.def for `f`. */
const struct mx_format_info *mx_format_info(mx_format f);

/* The format called `name` (case ignored); false if there is none. */
bool mx_format_by_name(const char *name, mx_format *f);

/* A finite element as sign * sig * 2^exp with 0 <= sig < 16, or its special
 * class. Subnormals and zero have the exponent of the smallest subnormal. */
struct mx_unpacked {
	enum { MX_NUMBER, MX_INF, MX_NAN } kind;
	bool negative;
	uint8_t sig;
	int8_t exp;
};
struct mx_unpacked mx_elem_unpack(mx_format f, mx_elem code);

/* The value of a code, exactly. NaN becomes 0x7FC00000 with the code's sign. */
mx_f32 mx_elem_to_f32(mx_format f, mx_elem code);

/* Nearest element, ties to even. Overflow and infinities saturate to the
 * largest finite value, which is what every MX quantiser in production does.
 * NaN becomes the format's NaN (E4M3 0x7F, E5M2 0x7E, sign kept); formats
 * without NaN get the largest finite value with the sign kept, a choice that
 * [OCP 5.3] leaves to the implementation. */
mx_elem mx_elem_from_f32(mx_format f, mx_f32 x);

/* Element `i` of a packed array: FP4 low nibble first, FP6 contiguous
 * little-endian 6-bit fields, FP8 one to a byte. */
mx_elem mx_elem_get(mx_format f, const uint8_t *packed, size_t i);
void mx_elem_set(mx_format f, uint8_t *packed, size_t i, mx_elem code);

/* Bytes that `n` packed elements take, rounded up. */
size_t mx_packed_bytes(mx_format f, size_t n);

/* The value of a scale: exact; 0x00 is the f32 subnormal 2^-127. 0xFF is 0x7FC00000. */
mx_f32 mx_e8m0_to_f32(mx_e8m0 s);

/* The scale with exponent field of `x`, truncating: sign and mantissa are
 * ignored, as v_cvt_scalef32_* and the scaled MFMA read an f32 scale [ISA 7.2]. */
mx_e8m0 mx_e8m0_from_f32(mx_f32 x);

/* bf16: widening is exact. Narrowing is nearest, ties to even; NaN is quieted
 * and keeps its sign and upper payload. */
mx_f32 mx_bf16_to_f32(mx_bf16 x);
mx_bf16 mx_bf16_from_f32(mx_f32 x);

/* The OCP "floor" recipe [OCP 6.3]: floor(log2(amax)) - emax(f), clamped to
 * [-127, 127] and biased. amax 0 gives byte 0; infinite or NaN amax gives 0xFF. */
mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax);

/* Quantise x[0..n-1], n <= MX_BLOCK, as one block: the floor recipe, then each
 * x / scale rounded once (the division by a power of two is exact before that
 * rounding). codes gets n codes, one to a byte. */
mx_e8m0 mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes);

/* x * 2^e rounded once, nearest-even, subnormals kept, overflow to infinity. */
mx_f32 mx_f32_scale(mx_f32 x, int e);

#endif
