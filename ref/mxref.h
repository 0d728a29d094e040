/* libmxref: what the MX formats, scale recipes, conversions and matrix instructions compute.
 *
 * Bits in, bits out. A value is a bit pattern in a one-member struct, so that
 * arithmetic on it by accident does not compile. Results do not depend on the
 * host's floating-point environment, on the number of threads, or on earlier
 * calls: there is no global state, and every function may be called from any
 * thread.
 *
 * Functions on single values cannot fail: their types admit valid input only.
 * Functions on tensors and registers return an mx_status and write nothing
 * unless it is MX_OK. Memory belongs to the caller throughout; what needs
 * scratch allocates and frees it within the call.
 *
 * Sources of rules:
 *   [OCP] OCP Microscaling Formats (MX) Specification v1.0
 *   [OFP8] OCP 8-bit Floating Point Specification v1.0
 *   [ISA] AMD CDNA4 instruction set manual
 */
#ifndef MXREF_H
#define MXREF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MXREF_API __attribute__((visibility("default")))

/* ---- status ---- */

typedef enum {
	MX_OK,
	MX_BAD_POINTER, /* a null pointer where there must be none */
	MX_BAD_FORMAT,  /* no such element format, or not for this operation */
	MX_BAD_SHAPE,   /* a size that overflows, or does not fit the layout */
	MX_BAD_STRIDE,  /* elements of an output would overlap */
	MX_BAD_RECIPE,  /* no such scale recipe */
	MX_BAD_PROFILE, /* no such accumulation profile, or fields that contradict each other */
	MX_BAD_OPTION,  /* another argument out of its range */
	MX_NO_MEMORY,
} mx_status;

/* One line for people: "strides overlap". */
MXREF_API const char *mx_strerror(mx_status s);

/* ---- values ---- */

typedef struct { uint8_t v; } mx_elem;  /* element code in the low bits */
typedef struct { uint8_t v; } mx_e8m0;  /* block scale: 2^(v-127), 0xFF is NaN [OCP 5.4.1] */
typedef struct { uint16_t v; } mx_bf16; /* bfloat16 bit pattern */
typedef struct { uint16_t v; } mx_f16;  /* IEEE binary16 bit pattern */
typedef struct { uint32_t v; } mx_f32;  /* IEEE binary32 bit pattern */

#define MX_BLOCK 32 /* elements that share one scale [OCP 5.1] */

/* ---- element formats ---- */

/* Which codes of a format are not finite numbers. */
typedef enum {
	MX_FINITE,   /* none */
	MX_NAN_ONLY, /* all exponent and mantissa bits set is NaN; no infinity (E4M3) */
	MX_IEEE,     /* largest exponent: mantissa 0 is infinity, else NaN (E5M2) */
} mx_specials;

/* The enumerator is the cbsz/blgp code of the scaled MFMA [ISA 7.2]. */
typedef enum {
	MX_E4M3 = 0,
	MX_E5M2 = 1,
	MX_E2M3 = 2,
	MX_E3M2 = 3,
	MX_E2M1 = 4,
	MX_FORMATS = 5
} mx_format;

struct mx_format_info {
	const char *name; /* "E2M1" */
	uint8_t bits, exp_bits, man_bits, bias;
	mx_specials specials;
};

/* What a format is made of; NULL if there is no such format. */
MXREF_API const struct mx_format_info *mx_format_info(mx_format f);

/* The format called `name` (case ignored); false if there is none. */
MXREF_API bool mx_format_by_name(const char *name, mx_format *f);

/* A finite element as sign * sig * 2^exp with 0 <= sig < 16, or its special
 * class. Subnormals and zero have the exponent of the smallest subnormal. */
struct mx_unpacked {
	enum { MX_NUMBER, MX_INF, MX_NAN } kind;
	bool negative;
	uint8_t sig;
	int8_t exp;
};
MXREF_API struct mx_unpacked mx_elem_unpack(mx_format f, mx_elem code);

/* The value of a code, exactly. NaN becomes 0x7FC00000 with the code's sign. */
MXREF_API mx_f32 mx_elem_to_f32(mx_format f, mx_elem code);

/* Nearest element, ties to even, saturating: mx_elem_encode with MX_RNE and
 * MX_SATURATE, which is what every MX quantiser in production does. */
MXREF_API mx_elem mx_elem_from_f32(mx_format f, mx_f32 x);

/* Element `i` of a packed array: FP4 low nibble first, FP6 contiguous
 * little-endian 6-bit fields, FP8 one to a byte. */
MXREF_API mx_elem mx_elem_get(mx_format f, const uint8_t *packed, size_t i);
MXREF_API void mx_elem_set(mx_format f, uint8_t *packed, size_t i, mx_elem code);

/* Bytes that `n` packed elements take, rounded up. */
MXREF_API size_t mx_packed_bytes(mx_format f, size_t n);

/* ---- scales and 16-bit floats ---- */

/* The value of a scale: exact; 0x00 is the f32 subnormal 2^-127. 0xFF is 0x7FC00000. */
MXREF_API mx_f32 mx_e8m0_to_f32(mx_e8m0 s);

/* The scale with the exponent field of `x`, truncating: sign and mantissa are
 * ignored, as v_cvt_scalef32_* and the scaled MFMA read an f32 scale [ISA 7.2]. */
MXREF_API mx_e8m0 mx_e8m0_from_f32(mx_f32 x);

/* bf16: widening is exact. Narrowing is nearest, ties to even; NaN is quieted
 * and keeps its sign and upper payload. */
MXREF_API mx_f32 mx_bf16_to_f32(mx_bf16 x);
MXREF_API mx_bf16 mx_bf16_from_f32(mx_f32 x);

/* x * 2^e rounded once, nearest-even, subnormals kept, overflow to infinity; NaN is quieted. */
MXREF_API mx_f32 mx_f32_scale(mx_f32 x, int e);

/* ---- quantisation ---- */

/* The OCP "floor" recipe [OCP 6.3]: floor(log2(amax)) - emax(f), clamped to
 * [-127, 127] and biased. amax 0 gives byte 0; infinite or NaN amax gives 0xFF. */
MXREF_API mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax);

/* Quantise x[0..n-1], n <= MX_BLOCK, as one block: the floor recipe, then each
 * x / scale rounded once (the division by a power of two is exact before that
 * rounding). codes gets n codes, one to a byte. */
MXREF_API mx_e8m0 mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes);

/* ---- matrix arithmetic ---- */

typedef enum { MX_MEASURED, MX_DOCUMENTED, MX_ASSUMED } mx_fidelity;

/* How a matrix instruction accumulates. */
typedef struct {
	const char *name;
	unsigned group; /* elements summed exactly before one rounding; 0: all of K */
	mx_fidelity fidelity;
	const char *source;
} mx_profile;

/* The profile called `name`, or NULL. mx_profile_at(i) lists them; NULL ends. */
MXREF_API const mx_profile *mx_profile_by_name(const char *name);
MXREF_API const mx_profile *mx_profile_at(size_t i);

/* The dot product of one output element:
 *
 *   c + sum over k < K of a[k] * 2^(sa[k/32]-127) * b[k] * 2^(sb[k/32]-127)
 *
 * K is a multiple of 32. Groups of profile->group elements are taken in order
 * of k: the group's products are summed exactly with their scales applied, the
 * accumulator is added exactly, and the sum is rounded once to f32, nearest
 * even, subnormals kept, overflow to infinity. The result is the next group's c.
 *
 * Special values, for each group's sum (products and accumulator together):
 *   any NaN element or NaN scale, 0 * infinity, or infinities of both signs
 *   give the NaN 0x7FC00000 (the payload is assumed); otherwise an infinity
 *   wins; an exact zero is -0 only if every addend is -0, else +0 (IEEE 754
 *   addition; assumed). A NaN scale makes its block NaN even where all its
 *   products are zero.
 *
 * This is the plain version, by wide fixed-point integers. */
MXREF_API mx_f32 mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K,
                            const mx_elem *a, const mx_e8m0 *sa, const mx_elem *b,
                            const mx_e8m0 *sb, mx_f32 c);

/* The shapes of the scaled MFMA: D[M][N] = A[M][K] * B[K][N] + C[M][N]. */
typedef enum { MX_16X16X128, MX_32X32X64 } mx_shape;
enum { MX_LANES = 64 };

MXREF_API unsigned mx_shape_mn(mx_shape s); /* M = N: 16 or 32 */
MXREF_API unsigned mx_shape_k(mx_shape s);  /* 128 or 64 */

/* VGPRs that an operand of format f takes: 8 (FP8), 6 (FP6) or 4 (FP4). */
MXREF_API unsigned mx_operand_vgprs(mx_format f);

/* Where things are in the registers [ISA 7.1.5, 7.2].
 * Element j (0..31) of lane's A operand is row `*mn`, `*k` of A; B is the same
 * with columns. The scale of lane is that of row or column *mn, block *block.
 * Register r of lane's C/D is D[*row][*col]. */
MXREF_API void mx_layout_operand(mx_shape s, mx_format f, unsigned lane, unsigned j, unsigned *mn,
                                 unsigned *k);
MXREF_API void mx_layout_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block);
MXREF_API void mx_layout_result(mx_shape s, unsigned lane, unsigned r, unsigned *row, unsigned *col);

/* One scaled MFMA on registers. a, b: mx_operand_vgprs() registers of 64 lanes;
 * c, d: 4 (16x16x128) or 16 (32x32x64) registers, may be the same array;
 * scale_a, scale_b: the scale byte of each lane, already selected by OP_SEL.
 * EXEC does not matter [ISA table 28]. */
struct mx_mma_args {
	const mx_profile *profile;
	mx_shape shape;
	mx_format fmt_a, fmt_b;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	const uint8_t *scale_a, *scale_b;
	uint32_t (*d)[MX_LANES];
};

/* The plain version: one mx_mma_dot for each element. */
MXREF_API void mx_mma_scaled_plain(const struct mx_mma_args *args);

/* The same bits, faster. The emulator calls this one. */
MXREF_API void mx_mma_scaled(const struct mx_mma_args *args);

#ifdef __cplusplus
}
#endif

#endif
