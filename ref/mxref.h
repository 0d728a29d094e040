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

/* How an inexact magnitude is rounded; the sign plays no part. */
typedef enum {
	MX_RNE, /* to the nearest, a tie to the even code */
	MX_RNA, /* to the nearest, a tie away from zero */
	MX_RTZ, /* toward zero */
	MX_SR,  /* stochastically: by the argument `random`, which the others ignore */
} mx_rounding;

/* What becomes of a magnitude that is, rounded with an unbounded exponent, above
 * the largest finite one, and of infinity. MX_RTZ never takes a finite number
 * there (IEEE 754-2019, 7.4). */
typedef enum {
	MX_SATURATE, /* the largest finite magnitude */
	MX_OVERFLOW, /* infinity in E5M2, BF16 and FP16, NaN in E4M3; the others saturate */
} mx_overflow;

/* The code of x. From bf16 and f16: widen first, which is exact.
 *
 * MX_SR: let |x| = (q + frac) ulp, where ulp is the distance of codes at |x|,
 * below the smallest normal that of the subnormals, q an integer and 0 <= frac < 1.
 * The result is q + 1 where frac + random / 2^32 >= 1, else q, in units of ulp: the
 * low 32 bits of a fixed-point number are truncated after `random` is added to
 * them. Bits of frac below 2^-32 make no difference to it. A uniform `random`
 * rounds up with probability floor(frac * 2^32) / 2^32; an exact x never moves.
 *
 * NaN becomes NaN with its sign: 0x7F in E4M3, 0x7E in E5M2. A format without NaN
 * takes the largest magnitude with the sign of the NaN ([OCP 5.3] leaves it open). */
MXREF_API mx_elem mx_elem_encode(mx_format f, mx_f32 x, mx_rounding r, mx_overflow o,
                                 uint32_t random);

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

/* Which power of two stands for an x between two: the one below, the one above, or
 * the nearer by value, 1.5 * 2^e, the tie, going up. (Nearer by value, not by
 * logarithm: 1.42 is past sqrt 2 and becomes 1.) CUDA's cvt.rz and cvt.rp to
 * ue8m0 are MX_SCALE_DOWN and MX_SCALE_UP. */
typedef enum { MX_SCALE_DOWN, MX_SCALE_UP, MX_SCALE_NEAREST } mx_scale_rounding;

/* The scale for |x|. Everything up to 2^-127, zero too, is 0x00: there is none
 * below. A power above 2^127, and infinity: 0xFE with MX_SATURATE, 0xFF with
 * MX_OVERFLOW. NaN is 0xFF. */
MXREF_API mx_e8m0 mx_e8m0_encode(mx_f32 x, mx_scale_rounding r, mx_overflow o);

/* Bfloat16 and binary16, rounded as elements are (see mx_elem_encode). NaN is
 * quieted and keeps its sign and the upper bits of its payload. */
MXREF_API mx_bf16 mx_bf16_encode(mx_f32 x, mx_rounding r, mx_overflow o, uint32_t random);
MXREF_API mx_f16 mx_f16_encode(mx_f32 x, mx_rounding r, mx_overflow o, uint32_t random);

/* The same with MX_RNE and MX_OVERFLOW: the conversion of IEEE 754. */
MXREF_API mx_bf16 mx_bf16_from_f32(mx_f32 x);
MXREF_API mx_f16 mx_f16_from_f32(mx_f32 x);

/* Widening is exact. A bf16 NaN keeps every bit; a binary16 NaN is quieted and
 * keeps its sign and payload. */
MXREF_API mx_f32 mx_bf16_to_f32(mx_bf16 x);
MXREF_API mx_f32 mx_f16_to_f32(mx_f16 x);

/* x * 2^e rounded once, nearest-even, subnormals kept, overflow to infinity; NaN is quieted. */
MXREF_API mx_f32 mx_f32_scale(mx_f32 x, int e);

/* ---- conversion instructions ---- */

/* MX_CVT_scalef32_pk_fp8_f32 is v_cvt_scalef32_pk_fp8_f32, and so on: the
 * v_cvt_scalef32_* of gfx950, and those to and from FP8 and to 16 bits that take no
 * scale. (v_cvt_f32_bf16 is mx_bf16_to_f32 of the low half.) */
typedef enum { /* num/cvt.def has what they are */
	MX_CVT_scalef32_pk_fp8_f32, MX_CVT_scalef32_pk_bf8_f32, MX_CVT_scalef32_sr_fp8_f32,
	MX_CVT_scalef32_sr_bf8_f32, MX_CVT_scalef32_pk_f32_fp8, MX_CVT_scalef32_pk_f32_bf8,
	MX_CVT_scalef32_f32_fp8, MX_CVT_scalef32_f32_bf8, MX_CVT_scalef32_pk_fp4_f32,
	MX_CVT_scalef32_sr_pk_fp4_f32, MX_CVT_scalef32_pk_f32_fp4, MX_CVT_scalef32_pk_fp8_f16,
	MX_CVT_scalef32_pk_bf8_f16, MX_CVT_scalef32_sr_fp8_f16, MX_CVT_scalef32_sr_bf8_f16,
	MX_CVT_scalef32_pk_fp8_bf16, MX_CVT_scalef32_pk_bf8_bf16, MX_CVT_scalef32_sr_fp8_bf16,
	MX_CVT_scalef32_sr_bf8_bf16, MX_CVT_scalef32_pk_f16_fp8, MX_CVT_scalef32_pk_f16_bf8,
	MX_CVT_scalef32_f16_fp8, MX_CVT_scalef32_f16_bf8, MX_CVT_scalef32_pk_fp4_f16,
	MX_CVT_scalef32_pk_fp4_bf16, MX_CVT_scalef32_sr_pk_fp4_f16,
	MX_CVT_scalef32_sr_pk_fp4_bf16, MX_CVT_scalef32_pk_f16_fp4, MX_CVT_scalef32_pk_bf16_fp4,
	MX_CVT_scalef32_2xpk16_fp6_f32, MX_CVT_scalef32_2xpk16_bf6_f32,
	MX_CVT_scalef32_sr_pk32_fp6_f32, MX_CVT_scalef32_sr_pk32_bf6_f32,
	MX_CVT_scalef32_pk32_f32_fp6, MX_CVT_scalef32_pk32_f32_bf6, MX_CVT_scalef32_pk32_fp6_f16,
	MX_CVT_scalef32_pk32_fp6_bf16, MX_CVT_scalef32_pk32_bf6_f16,
	MX_CVT_scalef32_pk32_bf6_bf16, MX_CVT_scalef32_sr_pk32_fp6_f16,
	MX_CVT_scalef32_sr_pk32_fp6_bf16, MX_CVT_scalef32_sr_pk32_bf6_f16,
	MX_CVT_scalef32_sr_pk32_bf6_bf16, MX_CVT_scalef32_pk32_f16_fp6,
	MX_CVT_scalef32_pk32_bf16_fp6, MX_CVT_scalef32_pk32_f16_bf6,
	MX_CVT_scalef32_pk32_bf16_bf6, MX_CVT_scalef32_pk_bf16_fp8, MX_CVT_scalef32_pk_bf16_bf8,
	MX_CVT_f32_fp8, MX_CVT_f32_bf8, MX_CVT_pk_f32_fp8, MX_CVT_pk_f32_bf8, MX_CVT_pk_f16_f32,
	MX_CVT_pk_bf16_f32, MX_CVT_pk_fp8_f32, MX_CVT_pk_bf8_f32, MX_CVT_sr_fp8_f32,
	MX_CVT_sr_bf8_f32, MX_CVT_sr_f16_f32, MX_CVT_sr_bf16_f32,
	MX_CVTS
} mx_cvt_op;

/* An instruction's operands: data (one or two), random if any, scale if any. */
struct mx_cvt_info {
	const char *name; /* "v_cvt_scalef32_pk_fp8_f32" */
	uint16_t opcode;
	bool vop1;               /* a VOP1 opcode, else VOP3 */
	const char *from, *to;   /* "E2M1" ... "E5M2", "FP16", "BF16", "FP32" */
	uint8_t values;          /* converted by one lane: 1, 2 or 32 */
	uint8_t data;            /* data operands: 1, or 2 that the values alternate between */
	uint8_t data_dwords;     /* VGPRs of each */
	uint8_t dst_dwords;      /* VGPRs of the destination */
	bool scaled, stochastic; /* has a scale, a random operand */
	bool partial;            /* writes 8 or 16 bits of its VGPR, keeping the others */
	uint8_t op_sel;          /* the bits of OP_SEL that mean something */
};

/* What an instruction is; name is NULL if there is no such op. By name: false if none. */
MXREF_API struct mx_cvt_info mx_cvt_info(mx_cvt_op op);
MXREF_API bool mx_cvt_by_name(const char *name, mx_cvt_op *op);

/* One lane. `source` holds the data operand's dwords, or those of both, one after
 * the other, NEG and ABS applied. The rest is ignored by ops that do not have it. */
struct mx_cvt_args {
	const uint32_t *source;
	uint32_t scale; /* its exponent field E means 2^(E-127), 0 included [ISA 7.3] */
	uint32_t random;
	uint32_t old;   /* the destination before */
	uint8_t op_sel; /* bit i is OP_SEL[i] */
	bool fp16_ovfl; /* MODE.FP16_OVFL */
	bool flush_f32; /* MODE reads subnormal f32 sources as zero, sign kept */
};

/* What one lane's conversion leaves in d, which has dst_dwords dwords and may be
 * the source array. A bit of op_sel that means nothing here is MX_BAD_OPTION.
 *
 * Narrowing gives x / 2^(E-127) rounded once, widening the code's value * 2^(E-127)
 * rounded once. Rounding is MX_RNE, or MX_SR with `random`, which is renewed for
 * each further value by mx_prng [ISA 12.11]. [ISA 7.3] for the rest:
 *
 *   selection      8 bits of a source: byte OP_SEL[1:0]; 16 bits, of two FP8: word
 *                  OP_SEL[0]; SDWA's BYTE and WORD of the VOP1 forms as well. 8 bits
 *                  of a result: byte OP_SEL[3:2]; 16 bits: word OP_SEL[3]. A single
 *                  f16 or bf16 source is the low half.
 *   to FP8         FP16_OVFL 0: MX_OVERFLOW; 1: MX_SATURATE
 *   to FP6, FP4    MX_SATURATE
 *
 * Assumed, since no source says it:
 *
 *   NaN to FP6 or FP4        the largest magnitude with the NaN's sign
 *   NaN elsewhere            quiet, with its sign; f16, bf16 and f32 keep the payload
 *   scale with E 0xFF        counts as NaN: every value becomes a NaN of its sign
 *   stochastic rounding      aligned to the last place kept, as in mx_elem_encode,
 *                            subnormal results too, with carry into the exponent.
 *                            ([ISA 7.3] says "add and truncate"; the formula of
 *                            v_cvt_sr_fp8_f32 aligns normal results so, but wraps at
 *                            the mantissa and rounds again. AMD's rocjitsu aligns so
 *                            too: ROCm/rocm-systems pull request 6870.)
 *   to f16, bf16, f32        nearest even, subnormals kept; overflow to infinity,
 *                            but with FP16_OVFL the largest f16 for a finite source */
MXREF_API mx_status mx_cvt(mx_cvt_op op, const struct mx_cvt_args *a, uint32_t *d);

/* v_prng_b32: the next state of a 32-bit shift register [ISA 12.8]. */
MXREF_API uint32_t mx_prng(uint32_t state);

/* ---- quantisation: scale recipes ---- */

/* A recipe derives the scale of a block from its amax; num/recipe.c has the rules
 * bit by bit, with zero, subnormal, infinite and NaN amax, and num/recipes.def the
 * sources. Those that agree wherever amax is well inside the range are recipes of
 * their own if they differ at its ends. emax: exponent of the largest power of two
 * that is an element; max: the largest element. */
typedef enum {
	MX_RECIPE_FLOOR,          /* OCP: floor(log2 amax) - emax */
	MX_RECIPE_CEIL,           /* torchao: ceil(log2 amax) - emax */
	MX_RECIPE_EVEN,           /* torchao: amax rounded to the element's mantissa first */
	MX_RECIPE_RCEIL,          /* torchao: ceil(log2(amax * (1/max))) */
	MX_RECIPE_NVIDIA,         /* ceil(log2(amax / max)), infinity to 2^127 */
	MX_RECIPE_AITER_ROUND_UP, /* as RCEIL, any subnormal product to 2^-126 */
	MX_RECIPE_AITER_EVEN,     /* as EVEN, wrapping around for NaN */
	MX_RECIPE_QUARK_EVEN,     /* as EVEN, infinity to 2^127 */
	MX_RECIPE_TRITON,         /* _mxfp4_quant_op */
	MX_RECIPE_PRIMUS,         /* Primus-Turbo: as EVEN, no special values */
	MX_RECIPE_MICROXCALING,   /* as FLOOR, of an f32 log2 that rounds */
	MX_RECIPE_TORCHAO_018_FLOOR, /* torchao 0.18.0, FLOOR: infinity is 2^128 */
	MX_RECIPE_TORCHAO_018_CEIL,  /* CEIL */
	MX_RECIPE_TORCHAO_018_EVEN,  /* EVEN */
	MX_RECIPE_TORCHAO_018_RCEIL, /* RCEIL: ceil of an f32 log2 that rounds */
	MX_RECIPE_AITER_ROUND_DOWN,  /* AITER's HIP header: floor(log2(amax / 2^emax)) */
	MX_RECIPE_AITER_CEIL,        /* ceil(log2(amax / 2^emax)) */
	MX_RECIPE_AITER_PY_ROUND_UP, /* AITER's fp4_utils.py: amax / max */
	MX_RECIPE_AITER_PY_EVEN,     /* infinity to NaN */
	MX_RECIPE_AITER_PY_ROUND_DOWN,
	MX_RECIPE_AITER_PY_CEIL,
	MX_RECIPE_AITER_MXFP8, /* _mxfp8_quant_op: E4M3 with the rounding of E2M1 */
	MX_RECIPE_COMPRESSED_TENSORS,  /* the same, and E2M1 and E2M3; infinity to NaN */
	MX_RECIPE_TRITON_KERNELS_UP,   /* downcast_to_mxfp: ceil(log2(amax / max)) */
	MX_RECIPE_TRITON_KERNELS_DOWN, /* floor(log2(amax / 2^emax)) */
	MX_RECIPE_QUARK_TRITON_UP,     /* Quark's copy of an older one: ties away. Elements
	                                * below 2^-32 are 0; its kernel's shift wraps there */
	MX_RECIPE_QUARK_TRITON_DOWN,   /* floor(log2(amax / max)) */
	MX_RECIPE_QUARK_TRITON_DOWN8,  /* the same to FP8 */
	MX_RECIPE_QUARK_TRITON_EVEN,   /* as TRITON, ties away */
	MX_RECIPE_QUARK_FLOOR,         /* Quark: as FLOOR and CEIL, of an f32 log2 */
	MX_RECIPE_QUARK_CEIL,
	MX_RECIPE_QUARK_FLOOR_BF16, /* of a bf16 log2 */
	MX_RECIPE_QUARK_CEIL_BF16,
	MX_RECIPES
} mx_recipe;

/* How the elements of a block with scale byte s become codes. In all of them x
 * is scaled by 2^(127-s) exactly or, far below half the least element, with one
 * harmless rounding; then it is rounded once to the element format.
 *
 * DIVIDE      x / scale, saturating. Scale NaN: every code is the format's NaN
 *             (largest magnitude where it has none) with the sign of x.
 * RECIPROCAL  software: x times a reciprocal built from bits, which is NaN
 *             0x7F800001 for s = 0xFF, and so is every product; saturating. A NaN
 *             becomes 0x7F or 0xFF in FP8; in FP4 and FP6 its bits go through the integer rounding
 *             unchecked, so that 0x7FC00000 becomes 3 (1.5) in E2M1.
 * CLAMP       Primus-Turbo: FP4 as DIVIDE. FP8 is first clamped to +-max * 2^(s-127)
 *             by fminf(fmaxf()), where s = 0 acts as scale 0: all codes are then
 *             zeros; a NaN becomes the lower limit. A limit that overflows is
 *             infinite, and so are the elements it lets through (FP16_OVFL = 0).
 * QUOTIENT    as RECIPROCAL, but x / scale: with s = 0xFF a NaN stays the NaN it was.
 * HALF_UP     microxcaling: as DIVIDE, but ties away are floor(|q| + 0.5) in f32, q in
 *             units of the least element: the f32 just below 0.5 becomes 1.
 * NORMAL_SCALE  torchao 0.18.0: x / max(scale, 2^-126), saturating, NaN as in
 *             RECIPROCAL. s = 0xFF acts as infinity: zeros, and NaN for infinities.
 * UNIT_AT_ZERO  torchao 0.18.0, RCEIL: as RECIPROCAL, but x itself for s = 0.
 * INFINITE_SCALE  compressed-tensors: x / scale, s = 0xFF acting as infinity. NaN in
 *             FP4 becomes zero with its sign, in FP6 0x20; -0 in FP4 becomes +0.
 * ZERO_AT_ENDS  triton_kernels: x times 2^(127-s), but times 0 for s = 0 and 0xFF, where
 *             infinities become NaN. NaN in FP4: the largest magnitude, as in DIVIDE. */
typedef enum {
	MX_DIVIDE,
	MX_RECIPROCAL,
	MX_CLAMP,
	MX_QUOTIENT,
	MX_HALF_UP,
	MX_NORMAL_SCALE,
	MX_UNIT_AT_ZERO,
	MX_INFINITE_SCALE,
	MX_ZERO_AT_ENDS,
} mx_scaling;

struct mx_recipe_info {
	const char *name;   /* "even" */
	const char *source; /* package, version or commit, and place of the rule */
	unsigned formats;   /* bit f is set if the recipe is defined for format f */
	bool keeps_nan;     /* a NaN in the block makes amax NaN; else NaNs are skipped */
	mx_rounding rounding;
	mx_scaling scaling;
};

/* What a recipe is; NULL if there is no such recipe. */
MXREF_API const struct mx_recipe_info *mx_recipe_info(mx_recipe r);

/* The recipe called `name` (case ignored); false if there is none. */
MXREF_API bool mx_recipe_by_name(const char *name, mx_recipe *r);

/* The scale for a block whose largest magnitude is amax (its sign is ignored):
 * NaN if the recipe is not defined for f. */
MXREF_API mx_e8m0 mx_scale(mx_recipe r, mx_format f, mx_f32 amax);

/* One element of a block with the given scale, scaled and rounded as the recipe
 * does it but with rounding o; `random` matters to MX_SR only. */
MXREF_API mx_elem mx_scaled_encode(mx_recipe r, mx_format f, mx_f32 x, mx_e8m0 scale,
                                   mx_rounding o, uint32_t random);

/* mx_scale with MX_RECIPE_FLOOR. */
MXREF_API mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax);

/* Quantise x[0..n-1], n <= MX_BLOCK, as one block with MX_RECIPE_FLOOR. codes
 * gets n codes, one to a byte. An empty block has scale 0x00. */
MXREF_API mx_e8m0 mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes);

/* ---- quantisation: tensors ---- */

typedef enum { MX_DTYPE_F32, MX_DTYPE_BF16, MX_DTYPE_F16, MX_DTYPES } mx_dtype;

/* A matrix that is read. Element (r,c) is data[r * row_stride + c * col_stride],
 * strides in elements; they may be negative or zero, data points to (0,0). */
struct mx_tensor {
	const void *data;
	mx_dtype dtype;
	size_t rows, cols;
	ptrdiff_t row_stride, col_stride;
};

/* A quantised matrix. Row r has its packed codes at codes + r * row_bytes and
 * the scale of its block b of 32 elements, the last of which may be short, at
 * scales[r * scale_row_bytes + b]. Strides in bytes; what lies between the end of
 * a row and the next is not touched. Unused bits of a row's last byte are 0. */
struct mx_quantised {
	uint8_t *codes;
	size_t row_bytes;
	uint8_t *scales;
	size_t scale_row_bytes;
};

typedef enum {
	MX_BLOCK_1X32,  /* 32 elements along the quantised direction */
	MX_BLOCK_32X32, /* a tile of 32x32 shares its amax; its rows repeat the scale */
} mx_block;

/* How to quantise; zero-initialised fields are the plain choice.
 *
 * The rows of the input are `groups` groups of group_rows[g] rows (NULL: one
 * group of all rows). In the output, each group is padded to a multiple of
 * row_align rows (0: 1). Padding has code 0 and, where a block has no other
 * element, scale pad_scale; the rows of padding of the row-wise output all have
 * scale pad_scale. Blocks do not cross groups: with several groups, column-wise
 * output and 32x32 blocks need a row_align that is a multiple of 32.
 *
 * hadamard: each 16 elements along the quantised direction are first replaced by
 * their Walsh-Hadamard transform, in f32, butterflies of distance 1, 2, 4, 8 and
 * then times 0.25 (Primus-Turbo rht16_inplace). That direction must be a multiple
 * of 16 long, padding included; padding enters as zeros, and in the column-wise
 * output those of its codes that share a transform with data receive its results.
 *
 * random: for MX_SR, random[r * cols + c] belongs to input element (r,c), for
 * either output; padding's is 0. */
struct mx_quantizer {
	mx_recipe recipe;
	mx_format format;
	mx_block block;
	bool hadamard;
	bool override;        /* of the recipe's element rounding, by: */
	mx_rounding rounding;
	const uint32_t *random;
	const size_t *group_rows;
	size_t groups, row_align;
	uint8_t pad_scale;
	unsigned threads; /* 0: one for each processor. The bits do not depend on it. */
};

/* Rows of the row-wise output, padding included; 0 if that overflows. The
 * column-wise output has as many elements in each row. */
MXREF_API size_t mx_quantised_rows(const struct mx_quantizer *q, const struct mx_tensor *x);

/* Quantise x. rowwise gets mx_quantised_rows() rows of x->cols elements, blocks
 * along the row; colwise gets x->cols rows of mx_quantised_rows() elements: the
 * transpose, blocks along the columns of x. Either may be NULL, not both.
 *
 * MX_BAD_POINTER  a null pointer: q, x, data, both outputs, codes, scales, or
 *                 random with MX_SR (data, codes and scales only if not empty)
 * MX_BAD_RECIPE, MX_BAD_FORMAT  no such recipe or format, or not for each other
 * MX_BAD_SHAPE    a size that overflows; groups that do not add up to rows; not
 *                 a multiple of 16 with hadamard
 * MX_BAD_STRIDE   an output row that reaches into the next
 * MX_BAD_OPTION   no such dtype, block or rounding; row_align (above) */
MXREF_API mx_status mx_quantize(const struct mx_quantizer *q, const struct mx_tensor *x,
                                const struct mx_quantised *rowwise,
                                const struct mx_quantised *colwise);

/* The plain version: the same bits, one element at a time, on one thread. */
MXREF_API mx_status mx_quantize_plain(const struct mx_quantizer *q, const struct mx_tensor *x,
                                      const struct mx_quantised *rowwise,
                                      const struct mx_quantised *colwise);

/* Element value times scale, rounded once to f32 (inexact only below 2^-126 and
 * above the range: infinity); NaN scales give NaN. out[r * row_stride + c *
 * col_stride] is element (r,c) of q's rows x cols; strides in elements, so that
 * swapping them transposes. MX_BAD_STRIDE where elements of out might overlap:
 * one stride must be at least the other times its number of elements. */
MXREF_API mx_status mx_dequantize(mx_format f, const struct mx_quantised *q, size_t rows,
                                  size_t cols, mx_f32 *out, size_t row_stride, size_t col_stride);

/* ---- matrix arithmetic ---- */

typedef enum { MX_MEASURED, MX_DOCUMENTED, MX_ASSUMED } mx_fidelity;

/* How far one choice of a profile is known, and by whom. */
typedef struct {
	mx_fidelity fidelity;
	const char *source;
} mx_evidence;

/* How a matrix instruction accumulates; profiles.def holds the ones we ship.
 *
 * Definition. The products of one output element are a[k] * b[k] times both scales.
 * The exponent of an element is floor(log2 |x|), or of a subnormal that of the
 * smallest normal; of a product, the sum of its elements' and scales' exponents;
 * of the accumulator c, floor(log2 |c|), at least -126. Zeros have no exponent
 * and lose every comparison.
 *
 * The products are taken in order of k, `group` at a time (0: all of K at once;
 * the last group may be short). Each group is a step, which makes a new c:
 *
 *   align = 0: the group's products and c are added exactly.
 *
 *   align > 0: with parts = 2, products of even and of odd k are added apart.
 *     Let P be the largest exponent of a part: each of its products is truncated
 *     toward zero to a multiple of 2^(P - align), and these are added exactly.
 *     Let Q be the largest P: with parts = 2, each part's sum is floored (toward
 *     minus infinity) to a multiple of 2^(Q - join); the sums are added.
 *     Let E be the larger of Q and the exponent of c: the sum is floored to a
 *     multiple of 2^(E - dot); c becomes 0 if drop > 0 and its exponent is below
 *     E - drop, and is else floored to a multiple of 2^(E - acc). These are added,
 *     and with norm > 0 the sum s is floored to a multiple of
 *     2^(floor(log2 |s|) - norm).
 *
 *   The result is rounded once to f32: nearest even, subnormals kept, overflow to
 *   infinity, or with clamp to the largest f32.
 *
 * Special values, in each step: any NaN element, accumulator or scale, 0 * infinity,
 * or infinities of both signs give the NaN 0x7FC00000 (the payload is assumed);
 * otherwise an infinity wins, clamp or not (assumed). With limit > 0 a product of
 * magnitude 2^limit or more is an infinity, but one of them cannot make a sum
 * infinite under clamp: it gives the largest f32. A NaN scale makes its block NaN
 * even where all its products are zero. A zero sum is -0 only if every product and
 * c are -0, else +0 (IEEE 754 addition; assumed); a negative sum that underflows
 * is -0. */
typedef struct {
	const char *name;
	unsigned group, parts, align, join, dot, acc, drop, norm, limit;
	mx_fidelity fidelity; /* of the whole, on gfx950 */
	const char *source;
	struct {
		mx_evidence group, parts, align, join, dot, acc, drop, norm, limit;
	} why; /* of each field; nothing depends on it */
} mx_profile;

/* MX_OK if a profile can be used: parts is 1 or 2, limit 0 or at least 1; with align = 0
 * (exact sums) parts is 1 and join, dot, acc, drop, norm and limit are 0; else group
 * is 1 to 128, align, dot and acc are 1 to 40, norm and drop at most 60, and join is
 * 1 to 40 with two parts and 0 with one. Else MX_BAD_PROFILE; MX_BAD_POINTER for NULL.
 * The functions below take profiles that pass. */
MXREF_API mx_status mx_profile_check(const mx_profile *p);

/* The profile called `name`, or NULL. mx_profile_at(i) lists them; NULL ends. */
MXREF_API const mx_profile *mx_profile_by_name(const char *name);
MXREF_API const mx_profile *mx_profile_at(size_t i);

/* The dot product of one output element, under a profile:
 *
 *   c + sum over k < K of a[k] * 2^(sa[k/32]-127) * b[k] * 2^(sb[k/32]-127)
 *
 * K is a multiple of 32. This is the plain version, by wide fixed-point integers. */
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
 * scale_a, scale_b: the scale byte of each lane, already selected by OP_SEL; 127
 * throughout for the unscaled instructions. EXEC does not matter [ISA table 28].
 *
 * abs_c, neg_c: input modifiers, on C alone: first |c|, then -c; NaN stays NaN.
 * clamp: the CLAMP bit with MODE.FP16_OVFL: overflow gives +-0x7F7FFFFF in place
 * of infinity [ISA 7.1.5], in every step of the profile (assumed). */
struct mx_mma_args {
	const mx_profile *profile;
	mx_shape shape;
	mx_format fmt_a, fmt_b;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	const uint8_t *scale_a, *scale_b;
	uint32_t (*d)[MX_LANES];
	bool abs_c, neg_c, clamp;
};

/* The plain version: one dot for each element. */
MXREF_API void mx_mma_scaled_plain(const struct mx_mma_args *args);

/* The same bits, faster. The emulator calls this one. */
MXREF_API void mx_mma_scaled(const struct mx_mma_args *args);

/* ---- dense matrix instructions ---- */

/* What A, B, C and D of a dense MFMA are made of. */
typedef enum {
	MX_T_F64,
	MX_T_F32,
	MX_T_F16,
	MX_T_BF16,
	MX_T_FP8, /* E4M3 */
	MX_T_BF8, /* E5M2 */
	MX_T_I8,
	MX_T_I32,
} mx_type;

/* A dense MFMA of gfx950: D[b] = C[b] + A[b] * B[b] for each of `blocks` blocks,
 * A[b] of M x K, B[b] of K x M, C and D of M x M [ISA 7.1.2]. dense.def lists them.
 * gfx950 has no XF32, and no BF16 forms of K = 2: LLVM 22 rejects them. */
struct mx_dense {
	const char *name; /* mnemonic: "v_mfma_f32_16x16x32_f16" */
	unsigned m, k, blocks;
	mx_type a, b, d;
};
MXREF_API const struct mx_dense *mx_dense_by_name(const char *name); /* NULL: none */
MXREF_API const struct mx_dense *mx_dense_at(size_t i);              /* NULL ends */

/* Items that a lane holds of an operand (k) or of the result, and the registers that
 * they fill. Items are packed little-endian; a 64-bit item is two registers. */
MXREF_API unsigned mx_dense_operand_items(const struct mx_dense *op);
MXREF_API unsigned mx_dense_result_items(const struct mx_dense *op);
MXREF_API unsigned mx_dense_operand_vgprs(const struct mx_dense *op);
MXREF_API unsigned mx_dense_result_vgprs(const struct mx_dense *op);

/* Where things are [ISA 7.1.4]: `item` of lane's A operand is A[*block][*mn][*k], of B
 * likewise B[*block][*k][*mn]; of C and D it is D[*block][*row][*col]. */
MXREF_API void mx_dense_operand(const struct mx_dense *op, unsigned lane, unsigned item,
                                unsigned *block, unsigned *mn, unsigned *k);
MXREF_API void mx_dense_result(const struct mx_dense *op, unsigned lane, unsigned item,
                               unsigned *block, unsigned *row, unsigned *col);

/* The profile that a dense instruction follows where the scaled ones follow `p`:
 * fma32 for f32 operands (chains of FMAs were measured on MI300, arXiv 2511.10909),
 * cdna3_half in the place of cdna3 for 16-bit operands, else p itself. */
MXREF_API const mx_profile *mx_dense_profile(const struct mx_dense *op, const mx_profile *p);

/* One dense MFMA on registers; c and d may be the same array. What it computes:
 *
 *   f16, bf16, fp8, bf8: the profile's definition, all scales 1, K that of op.
 *   f32: c = fma(a, b, c) in order of k, whatever the profile; f64 the same in f64.
 *     Denormals are kept (the manual's table 28; its 7.4 has MODE govern f32). A NaN
 *     result is 0x7FC00000 or 0x7FF8000000000000.
 *   i8: the exact sum, modulo 2^32, or with clamp the nearest i32 (one clamp, at the
 *     end: assumed).
 *
 * cbsz, abid: broadcast of A: its lane l is read from lane l % S + S * abid, with
 * S = 64 >> cbsz; blgp: which lane B's is read from [ISA table 29]. In f64
 * instructions cbsz and abid are ignored and bits 0, 1, 2 of blgp negate A, B, C.
 * clamp is as for the scaled instructions; it does nothing to f64 (assumed).
 *
 * MX_BAD_POINTER; MX_BAD_PROFILE; MX_BAD_OPTION where the manual leaves it undefined:
 * 1 << cbsz above the number of blocks, abid >= 1 << cbsz, blgp above 7. */
struct mx_dense_args {
	const struct mx_dense *op;
	const mx_profile *profile;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	uint32_t (*d)[MX_LANES];
	unsigned cbsz, abid, blgp;
	bool clamp;
};
MXREF_API mx_status mx_mma_dense(const struct mx_dense_args *args);

/* ---- sparse matrix instructions ---- */

/* A sparse MFMA of gfx950: D = D + A * B, A of M x K, of which two are stored of every four
 * consecutive k, B of K x M [ISA 7.5]. sparse.def lists them. */
struct mx_sparse {
	const char *name; /* mnemonic: "v_smfmac_f32_16x16x32_f16" */
	unsigned m, k;
	mx_type a, b, d;
};
MXREF_API const struct mx_sparse *mx_sparse_by_name(const char *name); /* NULL: none */
MXREF_API const struct mx_sparse *mx_sparse_at(size_t i);              /* NULL ends */

/* Registers of A, and of the result; B fills twice those of A. */
MXREF_API unsigned mx_sparse_a_vgprs(const struct mx_sparse *op);
MXREF_API unsigned mx_sparse_result_vgprs(const struct mx_sparse *op);

/* One sparse MFMA on registers. Bits 2i and 2i + 1 of a lane's set of indices say which k of
 * four its i-th item of A is; `index` holds as many sets as fit, of which cbsz and abid choose
 * one. Computes as the dense instructions do, of what is stored alone: K / 2 products in the
 * order of k (assumed).
 *
 * MX_BAD_POINTER; MX_BAD_PROFILE; MX_BAD_OPTION where the manual leaves it undefined: two
 * indices of four that do not ascend. */
struct mx_sparse_args {
	const struct mx_sparse *op;
	const mx_profile *profile;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], *index; /* index[lane] */
	uint32_t (*d)[MX_LANES];                               /* C, and the result */
	unsigned cbsz, abid;
	bool clamp;
};
MXREF_API mx_status mx_mma_sparse(const struct mx_sparse_args *args);

#ifdef __cplusplus
}
#endif

#endif
