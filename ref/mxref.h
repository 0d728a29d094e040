/* libmxref: the arithmetic of MX formats, scale recipes, conversions, matrix instructions, and
 * tensor descriptors.
 *
 * Bits in, bits out. A value is a bit pattern in a one-member struct, so that
 * arithmetic on it by accident does not compile. Results do not depend on the
 * host's floating-point environment, on the number of threads, or on earlier
 * calls: there is no global state, and every function may be called from any
 * thread.
 *
 * Results of functions:
 *
 *   a value    functions on single values. They cannot fail; an enumerator must be one
 *              of its enum. mx_elem_get, which reads an array, gives code 0 for NULL.
 *   a status   functions that write through a pointer: mx_status, and nothing is
 *              written unless it is MX_OK. A null pointer is MX_BAD_POINTER.
 *   a number   of rows, items or registers: 0 for NULL, or where it overflows.
 *   bool or a pointer
 *              look-ups by name or index: false or NULL if there is no such thing, and
 *              for NULL.
 *
 * No function returns void. All memory belongs to the caller; a function that needs
 * scratch memory allocates and frees it within the call.
 *
 * Strides are in bytes, and their fields end in _bytes: the distance from an element to
 * the next of its row or column, or from a row to the next. (The pitch of a row of FP4
 * or FP6 need not be a whole number of elements.) Data need not be aligned.
 *
 * From tensors to a matrix product (ref/examples/quantize_mfma.c shows all steps):
 * mx_quantize A and the transpose of B; pad K to a multiple of mx_shape_k(), see
 * "Padding" below; copy each tile into registers by mx_layout_operand() and
 * mx_layout_scale(); mx_mma_scaled(), with D as the next C; mx_layout_result().
 *
 * Sources of rules:
 *   [OCP] OCP Microscaling Formats (MX) Specification v1.0
 *   [OFP8] OCP 8-bit Floating Point Specification v1.0
 *   [ISA] AMD CDNA4 instruction set manual
 *   rocjitsu: AMD's emulator, in ROCm/rocm-systems; not qualified on hardware for gfx1250
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

/* ---- version ---- */

/* The version of this header. While MAJOR is 0, a new MINOR may be incompatible; later only
 * a new MAJOR. */
#define MXREF_VERSION_MAJOR 0
#define MXREF_VERSION_MINOR 2
#define MXREF_VERSION_PATCH 0

#define MXREF_TEXT_(x)         #x
#define MXREF_DOTTED_(a, b, c) MXREF_TEXT_(a) "." MXREF_TEXT_(b) "." MXREF_TEXT_(c)
#define MXREF_VERSION          MXREF_DOTTED_(MXREF_VERSION_MAJOR, MXREF_VERSION_MINOR, MXREF_VERSION_PATCH)

/* MXREF_VERSION of the library at run time, which may differ from that of the header. */
MXREF_API const char *mx_version(void);

/* ---- status ---- */

typedef enum {
	MX_OK,
	MX_BAD_POINTER, /* a null pointer where there must be none */
	MX_BAD_FORMAT,  /* no such element format, or not for this operation */
	MX_BAD_SHAPE,   /* a size that overflows, or that the function does not take */
	MX_BAD_STRIDE,  /* elements of an output would overlap, or a stride splits an element */
	MX_BAD_RECIPE,  /* no such scale recipe or scheme */
	MX_BAD_PROFILE, /* no such accumulation profile, or fields that contradict each other */
	MX_BAD_OPTION,  /* another argument out of its range */
	MX_NO_MEMORY,
} mx_status;

/* The meaning of a status in one line: "out of memory". */
MXREF_API const char *mx_strerror(mx_status s);

/* ---- values ---- */

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
	uint16_t v;
} mx_f16; /* IEEE binary16 bit pattern */
typedef struct {
	uint32_t v;
} mx_f32; /* IEEE binary32 bit pattern */

#define MX_BLOCK 32 /* elements that share one scale [OCP 5.1] */

/* ---- element formats ---- */

/* The codes of a format that are not finite numbers. */
typedef enum {
	MX_FINITE,   /* none */
	MX_NAN_ONLY, /* all exponent and mantissa bits set is NaN; no infinity (E4M3) */
	MX_IEEE,     /* largest exponent: mantissa 0 is infinity, else NaN (E5M2) */
	MX_FNUZ,     /* the code with the sign bit alone is NaN; no infinity, no -0 */
	MX_TWOS,     /* none; a negative code is the two's complement of its magnitude */
} mx_specials;

/* The MX formats are below MX_FORMATS: the enumerator is the cbsz/blgp code of the scaled MFMA
 * [ISA 7.2]. The others are elements of schemes (below). Functions of this section take all
 * formats; recipes, mx_quantize, mx_dequantize and the matrix instructions take only MX formats.
 *
 * INT8 is two's complement times 2^-6 [OCP 5.3.4]. E0M4 and E0M7 are a sign and a magnitude
 * of 4 or 7 bits, times 2^-3 or 2^-6: the elements of MX6 and MX9. */
typedef enum {
	MX_E4M3 = 0,
	MX_E5M2 = 1,
	MX_E2M3 = 2,
	MX_E3M2 = 3,
	MX_E2M1 = 4,
	MX_FORMATS = 5,
	MX_E4M3FNUZ = 5, /* exponent bias 8: the largest is 240 */
	MX_E5M2FNUZ = 6, /* exponent bias 16: the largest is 57344 */
	MX_INT8 = 7,
	MX_E0M4 = 8,
	MX_E0M7 = 9,
	MX_ELEMENTS = 10
} mx_format;

struct mx_format_info {
	const char *name; /* "E2M1" */
	uint8_t bits, exp_bits, man_bits, bias;
	mx_specials specials;
};

/* The properties of a format; NULL if there is no such format. */
MXREF_API const struct mx_format_info *mx_format_info(mx_format f);

/* The format called `name` (case ignored); false if there is none. */
MXREF_API bool mx_format_by_name(const char *name, mx_format *f);

/* A finite element as sign * sig * 2^exp with 0 <= sig < 16 (INT8: <= 128, E0M7: < 128), or its
 * special class. Subnormals and zero have the exponent of the smallest subnormal. */
struct mx_unpacked {
	enum { MX_NUMBER, MX_INF, MX_NAN } kind;
	bool negative;
	uint8_t sig;
	int8_t exp;
};
MXREF_API struct mx_unpacked mx_elem_unpack(mx_format f, mx_elem code);

/* The value of a code, exactly. NaN becomes 0x7FC00000 with the code's sign. */
MXREF_API mx_f32 mx_elem_to_f32(mx_format f, mx_elem code);

/* How an inexact magnitude is rounded; the sign has no effect. */
typedef enum {
	MX_RNE, /* to the nearest, a tie to the even code */
	MX_RNA, /* to the nearest, a tie away from zero */
	MX_RTZ, /* toward zero */
	MX_SR,  /* stochastically: by the argument `random`, which the others ignore */
} mx_rounding;

/* The result for infinity, and for a magnitude that is above the largest finite one
 * after rounding with an unbounded exponent. With MX_RTZ a finite number never
 * overflows (IEEE 754-2019, 7.4). */
typedef enum {
	MX_SATURATE, /* the largest finite magnitude */
	MX_OVERFLOW, /* infinity in E5M2, BF16 and FP16, NaN in E4M3 and FNUZ; the others saturate
	              */
} mx_overflow;

/* The code of x. Widen bf16 and f16 first, which is exact.
 *
 * MX_SR: let |x| = (q + frac) ulp with an integer q and 0 <= frac < 1, where ulp is
 * the distance between codes at |x|, and between subnormals below the smallest normal.
 * The result is q + 1 if frac + random / 2^32 >= 1, else q, in units of ulp: `random`
 * is added to the low 32 bits of a fixed-point number, which are then truncated. Bits of
 * frac below 2^-32 have no effect. A uniform `random` rounds up with probability
 * floor(frac * 2^32) / 2^32; an exact x never changes.
 *
 * NaN becomes NaN with its sign: 0x7F in E4M3, 0x7E in E5M2; 0x80 in FNUZ. A format
 * without NaN takes the largest magnitude with the sign of the NaN ([OCP 5.3] leaves it
 * open). Zero keeps its sign, except in FNUZ and INT8, which have no -0. INT8 saturates to
 * +-127: the code of -128 decodes to -2 and is never a result. */
MXREF_API mx_elem mx_elem_encode(mx_format f, mx_f32 x, mx_rounding r, mx_overflow o,
                                 uint32_t random);

/* The nearest element, ties to even, saturating: mx_elem_encode with MX_RNE and
 * MX_SATURATE, as in every MX quantiser in production. */
MXREF_API mx_elem mx_elem_from_f32(mx_format f, mx_f32 x);

/* Element `i` of a packed array: bits w * i to w * i + w - 1, counted from the lowest bit
 * of byte 0, where w = mx_format_info(f)->bits:
 *
 *   FP8   byte i
 *   FP6   four elements in three bytes, i = 0 in the low 6 bits of the first
 *   FP4   two in a byte, the even i in the low nibble
 *   E0M4  eight elements in five bytes
 *
 * mx_elem_set does not change other elements. */
MXREF_API mx_elem mx_elem_get(mx_format f, const uint8_t *packed, size_t i);
MXREF_API mx_status mx_elem_set(mx_format f, uint8_t *packed, size_t i, mx_elem code);

/* Bytes that `n` packed elements take, rounded up. */
MXREF_API size_t mx_packed_bytes(mx_format f, size_t n);

/* ---- scales and 16-bit floats ---- */

/* The value of a scale: exact; 0x00 is the f32 subnormal 2^-127. 0xFF is 0x7FC00000. */
MXREF_API mx_f32 mx_e8m0_to_f32(mx_e8m0 s);

/* The scale with the exponent field of `x`, truncating: sign and mantissa are
 * ignored, as v_cvt_scalef32_* and the scaled MFMA read an f32 scale [ISA 7.2]. */
MXREF_API mx_e8m0 mx_e8m0_from_f32(mx_f32 x);

/* The scale for an x between two powers of two: the lower one, the higher one, or the
 * nearer one by value, and the higher one for the tie 1.5 * 2^e. (By value, not by
 * logarithm: 1.42 is above sqrt 2 and becomes 1.) CUDA's cvt.rz and cvt.rp to
 * ue8m0 are MX_SCALE_DOWN and MX_SCALE_UP. */
typedef enum { MX_SCALE_DOWN, MX_SCALE_UP, MX_SCALE_NEAREST } mx_scale_rounding;

/* The scale for |x|. A number up to 2^-127, zero too, gives 0x00, the smallest scale.
 * A power above 2^127, and infinity, give 0xFE with MX_SATURATE, 0xFF with
 * MX_OVERFLOW. NaN gives 0xFF. */
MXREF_API mx_e8m0 mx_e8m0_encode(mx_f32 x, mx_scale_rounding r, mx_overflow o);

/* The formats of a block's scale. The enumerator is the code of the scaled WMMAs of gfx1250, which
 * multiply by the value of the scale, not by its exponent alone:
 *
 *   E8M0  mx_e8m0
 *   E5M3  no sign, bias 15: 0x01 is 2^-17, 0x08 is 2^-14, 0x78 is 1, 0xFE is 114688; 0xFF is NaN.
 *         No infinity. (PTX calls it ue5m3.)
 *   E4M3  as MX_E4M3, with its sign (assumed: quantisers give positive scales)
 *
 * Source: AMD's emulator rocjitsu, which takes the three codes like this. */
typedef enum { MX_S_E8M0, MX_S_E5M3, MX_S_E4M3, MX_SCALE_FORMATS } mx_scale_format;

/* The value of a scale, exactly. NaN becomes 0x7FC00000, in E4M3 with the code's sign. */
MXREF_API mx_f32 mx_block_scale_to_f32(mx_scale_format f, uint8_t code);

/* The scale nearest to |x|, saturating; NaN gives the NaN. A tie goes to the even code, in E8M0 to
 * the higher power. E5M3 and E4M3 underflow to 0, a scale that makes its block 0. */
MXREF_API uint8_t mx_block_scale_from_f32(mx_scale_format f, mx_f32 x);

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
 * scale; then those that gfx1250 alone has. (v_cvt_f32_bf16 is mx_bf16_to_f32 of the
 * low half.) */
typedef enum { /* num/cvt.def describes each */
	       MX_CVT_scalef32_pk_fp8_f32,
	       MX_CVT_scalef32_pk_bf8_f32,
	       MX_CVT_scalef32_sr_fp8_f32,
	       MX_CVT_scalef32_sr_bf8_f32,
	       MX_CVT_scalef32_pk_f32_fp8,
	       MX_CVT_scalef32_pk_f32_bf8,
	       MX_CVT_scalef32_f32_fp8,
	       MX_CVT_scalef32_f32_bf8,
	       MX_CVT_scalef32_pk_fp4_f32,
	       MX_CVT_scalef32_sr_pk_fp4_f32,
	       MX_CVT_scalef32_pk_f32_fp4,
	       MX_CVT_scalef32_pk_fp8_f16,
	       MX_CVT_scalef32_pk_bf8_f16,
	       MX_CVT_scalef32_sr_fp8_f16,
	       MX_CVT_scalef32_sr_bf8_f16,
	       MX_CVT_scalef32_pk_fp8_bf16,
	       MX_CVT_scalef32_pk_bf8_bf16,
	       MX_CVT_scalef32_sr_fp8_bf16,
	       MX_CVT_scalef32_sr_bf8_bf16,
	       MX_CVT_scalef32_pk_f16_fp8,
	       MX_CVT_scalef32_pk_f16_bf8,
	       MX_CVT_scalef32_f16_fp8,
	       MX_CVT_scalef32_f16_bf8,
	       MX_CVT_scalef32_pk_fp4_f16,
	       MX_CVT_scalef32_pk_fp4_bf16,
	       MX_CVT_scalef32_sr_pk_fp4_f16,
	       MX_CVT_scalef32_sr_pk_fp4_bf16,
	       MX_CVT_scalef32_pk_f16_fp4,
	       MX_CVT_scalef32_pk_bf16_fp4,
	       MX_CVT_scalef32_2xpk16_fp6_f32,
	       MX_CVT_scalef32_2xpk16_bf6_f32,
	       MX_CVT_scalef32_sr_pk32_fp6_f32,
	       MX_CVT_scalef32_sr_pk32_bf6_f32,
	       MX_CVT_scalef32_pk32_f32_fp6,
	       MX_CVT_scalef32_pk32_f32_bf6,
	       MX_CVT_scalef32_pk32_fp6_f16,
	       MX_CVT_scalef32_pk32_fp6_bf16,
	       MX_CVT_scalef32_pk32_bf6_f16,
	       MX_CVT_scalef32_pk32_bf6_bf16,
	       MX_CVT_scalef32_sr_pk32_fp6_f16,
	       MX_CVT_scalef32_sr_pk32_fp6_bf16,
	       MX_CVT_scalef32_sr_pk32_bf6_f16,
	       MX_CVT_scalef32_sr_pk32_bf6_bf16,
	       MX_CVT_scalef32_pk32_f16_fp6,
	       MX_CVT_scalef32_pk32_bf16_fp6,
	       MX_CVT_scalef32_pk32_f16_bf6,
	       MX_CVT_scalef32_pk32_bf16_bf6,
	       MX_CVT_scalef32_pk_bf16_fp8,
	       MX_CVT_scalef32_pk_bf16_bf8,
	       MX_CVT_f32_fp8,
	       MX_CVT_f32_bf8,
	       MX_CVT_pk_f32_fp8,
	       MX_CVT_pk_f32_bf8,
	       MX_CVT_pk_f16_f32,
	       MX_CVT_pk_bf16_f32,
	       MX_CVT_pk_fp8_f32,
	       MX_CVT_pk_bf8_f32,
	       MX_CVT_sr_fp8_f32,
	       MX_CVT_sr_bf8_f32,
	       MX_CVT_sr_f16_f32,
	       MX_CVT_sr_bf16_f32,
	       /* of gfx1250: num/cvt_gfx1250.def */
	       MX_CVT_f16_fp8,
	       MX_CVT_f16_bf8,
	       MX_CVT_pk_f16_fp8,
	       MX_CVT_pk_f16_bf8,
	       MX_CVT_pk_fp8_f16,
	       MX_CVT_pk_bf8_f16,
	       MX_CVT_sr_fp8_f16,
	       MX_CVT_sr_bf8_f16,
	       MX_CVT_sr_pk_f16_f32,
	       MX_CVT_sr_pk_bf16_f32,
	       MX_CVT_scale_pk8_f16_fp8,
	       MX_CVT_scale_pk8_bf16_fp8,
	       MX_CVT_scale_pk8_f32_fp8,
	       MX_CVT_scale_pk8_f16_bf8,
	       MX_CVT_scale_pk8_bf16_bf8,
	       MX_CVT_scale_pk8_f32_bf8,
	       MX_CVT_scale_pk8_f16_fp4,
	       MX_CVT_scale_pk8_bf16_fp4,
	       MX_CVT_scale_pk8_f32_fp4,
	       MX_CVT_scale_pk16_f16_fp6,
	       MX_CVT_scale_pk16_bf16_fp6,
	       MX_CVT_scale_pk16_f32_fp6,
	       MX_CVT_scale_pk16_f16_bf6,
	       MX_CVT_scale_pk16_bf16_bf6,
	       MX_CVT_scale_pk16_f32_bf6,
	       MX_CVT_scalef32_pk8_fp8_f32,
	       MX_CVT_scalef32_pk8_fp8_f16,
	       MX_CVT_scalef32_pk8_fp8_bf16,
	       MX_CVT_scalef32_pk8_bf8_f32,
	       MX_CVT_scalef32_pk8_bf8_f16,
	       MX_CVT_scalef32_pk8_bf8_bf16,
	       MX_CVT_scalef32_pk8_fp4_f32,
	       MX_CVT_scalef32_pk8_fp4_f16,
	       MX_CVT_scalef32_pk8_fp4_bf16,
	       MX_CVT_scalef32_pk16_fp6_f32,
	       MX_CVT_scalef32_pk16_fp6_f16,
	       MX_CVT_scalef32_pk16_fp6_bf16,
	       MX_CVT_scalef32_pk16_bf6_f32,
	       MX_CVT_scalef32_pk16_bf6_f16,
	       MX_CVT_scalef32_pk16_bf6_bf16,
	       MX_CVT_scalef32_sr_pk8_fp8_f32,
	       MX_CVT_scalef32_sr_pk8_fp8_f16,
	       MX_CVT_scalef32_sr_pk8_fp8_bf16,
	       MX_CVT_scalef32_sr_pk8_bf8_f32,
	       MX_CVT_scalef32_sr_pk8_bf8_f16,
	       MX_CVT_scalef32_sr_pk8_bf8_bf16,
	       MX_CVT_scalef32_sr_pk8_fp4_f32,
	       MX_CVT_scalef32_sr_pk8_fp4_f16,
	       MX_CVT_scalef32_sr_pk8_fp4_bf16,
	       MX_CVT_scalef32_sr_pk16_fp6_f32,
	       MX_CVT_scalef32_sr_pk16_fp6_f16,
	       MX_CVT_scalef32_sr_pk16_fp6_bf16,
	       MX_CVT_scalef32_sr_pk16_bf6_f32,
	       MX_CVT_scalef32_sr_pk16_bf6_f16,
	       MX_CVT_scalef32_sr_pk16_bf6_bf16,
	       MX_CVTS
} mx_cvt_op;

/* An instruction's operands: data (one or two), random if any, scale if any. */
struct mx_cvt_info {
	const char *name;        /* "v_cvt_scalef32_pk_fp8_f32" */
	const char *from, *to;   /* "E2M1" ... "E5M2", "FP16", "BF16", "FP32" */
	uint8_t values;          /* converted by one lane: 1, 2, 8, 16 or 32 */
	uint8_t data;            /* data operands: 1, or 2 that the values alternate between */
	uint8_t data_dwords;     /* VGPRs of each */
	uint8_t dst_dwords;      /* VGPRs of the destination */
	bool scaled, stochastic; /* has a scale, a random operand */
	bool partial;            /* writes 8 or 16 bits of its VGPR, keeping the others */
	uint8_t op_sel;          /* the bits of OP_SEL that select something */
	bool scale_byte;         /* its scale is an E8M0 byte: mx_cvt_scale_place */
};

/* The properties of an instruction; name is NULL if there is no such op. By name: false if none. */
MXREF_API struct mx_cvt_info mx_cvt_info(mx_cvt_op op);
MXREF_API bool mx_cvt_by_name(const char *name, mx_cvt_op *op);

/* One lane. `source` holds the dwords of the data operands in order, after NEG and ABS.
 * An op ignores the fields that it does not have. */
struct mx_cvt_args {
	const uint32_t *source;
	uint32_t scale; /* its exponent field E means 2^(E-127), 0 included [ISA 7.3] */
	uint32_t random;
	uint32_t old;   /* the destination's previous value */
	uint8_t op_sel; /* bit i is OP_SEL[i] */
	bool fp16_ovfl; /* MODE.FP16_OVFL */
	bool flush_f32; /* MODE flushes subnormal f32 sources to zero, sign kept */
	bool e5m3;      /* CLAMP of gfx1250: FP8 is E5M3, which has no sign, instead of E4M3 */
};

/* Convert one lane. d has dst_dwords dwords and may be the source array. A bit of
 * op_sel that selects nothing is MX_BAD_OPTION.
 *
 * Narrowing gives x / 2^(E-127) rounded once, widening the code's value * 2^(E-127)
 * rounded once. Rounding is MX_RNE, or MX_SR with `random`; mx_prng gives the random
 * number of each further value [ISA 12.11]. By [ISA 7.3]:
 *
 *   selection      8 bits of a source: byte OP_SEL[1:0]; 16 bits, of two FP8: word
 *                  OP_SEL[0]; also SDWA's BYTE and WORD of the VOP1 forms. 8 bits
 *                  of a result: byte OP_SEL[3:2]; 16 bits: word OP_SEL[3]. A single
 *                  f16 or bf16 source is the low half; without a scale, half OP_SEL[0].
 *   to FP8         FP16_OVFL 0: MX_OVERFLOW; 1: MX_SATURATE
 *   to FP6, FP4    MX_SATURATE
 *
 * Assumed, because no source defines it:
 *
 *   NaN to FP6 or FP4        the largest magnitude with the NaN's sign
 *   NaN elsewhere            quiet, with its sign; f16, bf16 and f32 keep the payload
 *   scale with E 0xFF        counts as NaN: every value becomes a NaN of its sign
 *   stochastic rounding      aligned to the last place kept, as in mx_elem_encode,
 *                            subnormal results too, with carry into the exponent.
 *                            ([ISA 7.3] says "add and truncate"; the formula of
 *                            v_cvt_sr_fp8_f32 aligns normal results like this, but wraps
 *                            at the mantissa and rounds again. AMD's rocjitsu aligns
 *                            like this too: ROCm/rocm-systems pull request 6870.)
 *   to f16, bf16, f32        nearest even, subnormals kept; overflow to infinity,
 *                            but with FP16_OVFL the largest f16 for a finite source
 *   v_cvt_sr_pk_*            the low half of `random` rounds the first value and the high
 *                            half the second; both are aligned as 32 bits that end in zeros
 *   to E5M3                  the magnitude of a negative number
 *   FP16_OVFL, f16 to FP8    as for f32 (rocjitsu ignores it) */
MXREF_API mx_status mx_cvt(mx_cvt_op op, const struct mx_cvt_args *a, uint32_t *d);

/* The result bits that depend on data bits: those of each value of which `bits`, laid out as
 * args.source, has a bit. d has dst_dwords dwords; MX_BAD_OPTION as for mx_cvt. */
MXREF_API mx_status mx_cvt_dependents(mx_cvt_op op, uint8_t op_sel, const uint32_t *bits,
                                      uint32_t *d);

/* Where a v_cvt_scale_pk* finds its scale: lane `lane` of 32 uses byte *byte of the scale operand
 * of lane *from; mx_cvt takes it as the exponent of args.scale. Bits of SCALE_SEL
 * (MLIR, amdgpu.scaled_ext_packed_matrix, and its lowering to rocdl):
 *
 *   FP4, FP6, BF6   0: blocks of 16 instead of 32, 1: byte, 2: lanes 16 to 31 instead of 0 to 15.
 *                   Half h of the wave uses byte 2 * [1] + h; with blocks of 16, [1] + 2 * h.
 *   FP8, BF8        0: blocks of 16, 2:1: byte, 3: lanes 16 to 31. Both halves use byte [2:1];
 *                   with blocks of 16 half h uses [2:1] + h (assumed, from the lanes of WMMAs), and
 *                   [2:1] must be 0 in lanes 0 to 15, or 2 in lanes 16 to 31.
 *
 * MX_BAD_OPTION: a reserved SCALE_SEL, a lane above 31, or an op without such a scale. */
MXREF_API mx_status mx_cvt_scale_place(mx_cvt_op op, unsigned scale_sel, unsigned lane,
                                       unsigned *from, unsigned *byte);

/* v_prng_b32: the next state of a 32-bit shift register [ISA 12.8]. */
MXREF_API uint32_t mx_prng(uint32_t state);

/* ---- quantisation: scale recipes ---- */

/* A recipe derives the scale of a block from its amax, the largest magnitude in it.
 * mx_recipe_info() gives the effect of a NaN on amax, and the source of the rule. Rules
 * that differ only near the ends of the range are separate recipes.
 *
 * The rules. u is the f32 pattern of amax, E(u) = u >> 23 its exponent field, which is 0
 * for zero and subnormals, and M(u) its low 23 bits. The result is the byte s of the
 * scale 2^(s-127); a negative s becomes 0. Constants of the format:
 *
 *           E4M3  E5M2  E2M3  E3M2  E2M1
 *   emax       8    15     2     4     2   exponent of the largest element
 *   max      448 57344   7.5    28     6   the largest element
 *   half    2^19  2^20  2^19  2^20  2^21   half a unit of its mantissa, in u
 *
 *   recipe               s, for finite amax                                   infinity  NaN
 *   floor                E(u) - emax                                          0xFF      0xFF
 *   ceil                 E(u) + (M(u) != 0) - emax                            0xFF      0xFF
 *   even                 E(u + half) - emax; 0xFF if E is 255                 0xFF      0xFF
 *   rceil                up(u * (1/max))                                      0xFF      0xFF
 *   nvidia               up(u / max)                                          0xFE      0xFF
 *   aiter-round-up       E(d) + (M(d) != 0), d = u * (1/max)                  0xFF      0xFF
 *   aiter-even           E((u + half) mod 2^31) - emax                        same      same
 *   quark-even           E(u + half) - emax; 0xFE if E is 255                 0xFE      0xFF
 *   triton               E((u + half) mod 2^31) - emax; 0xFE if E is 255      same      same
 *   primus               E(u + half) - emax                                   same      same
 *   microxcaling         floor(log2(u)) + 127 - emax; 0 if E(u) is 0          0xFF      0xFF
 *   torchao-0.18-floor   E(u) - emax                                          same      0xFF
 *   torchao-0.18-ceil    E(u) + (M(u) != 0) - emax                            same      0xFF
 *   torchao-0.18-even    E(u + half) - emax                                   same      0xFF
 *   torchao-0.18-rceil   ceil(log2(u / max)) + 127                            0xFE      0xFF
 *   aiter-round-down     E(u / 2^emax)                                        0xFF      0xFF
 *   aiter-ceil           E(d) + (M(d) != 0), d = u / 2^emax                   0xFF      0xFF
 *   aiter-py-round-up    E(d) + (M(d) != 0), d = u / max                      0xFF      0xFF
 *   aiter-py-even        E((u + half) mod 2^31) - emax; 0xFF if E is 255      same      same
 *   aiter-py-round-down  as aiter-round-down
 *   aiter-py-ceil        as aiter-ceil
 *   aiter-mxfp8          E((u + 2^21) mod 2^31) - emax; 0xFE if E is 255      same      same
 *   compressed-tensors   E((u + h) mod 2^31) - emax; 0xFF if E is 255;        same      same
 *                        h = 2^19 in E2M3, else 2^21
 *   triton-kernels-up    E(u / max + 0x7FFFFF), the pattern plus that         0xFF      0
 *   triton-kernels-down  as aiter-round-down
 *   quark-triton-up      as triton-kernels-up
 *   quark-triton-down    E(u / max)                                           0xFF      0xFF
 *   quark-triton-down8   as quark-triton-down
 *   quark-triton-even    as triton
 *   quark-floor          floor(log2(u)) + 127 - emax; 0 if E(u) is 0; but     0xFF      0xFF
 *                        104 (2^-23) for amax < 2^(emax-149)
 *   quark-ceil           ceil(log2(u)) + 127 - emax; 0 if E(u) is 0; but      0xFF      0xFF
 *                        104 for amax <= 2^(emax-150)
 *   quark-floor-bf16     floor(log2(u)) + 127 - emax, the logarithm rounded   0xFF      0xFF
 *                        to bf16; but 104 for 0 and where it is below -6
 *   quark-ceil-bf16      the same with ceil(log2(u))                          0xFF      0xFF
 *
 * up(d) is the byte of the least power of two that is not below d; 1/max, products and
 * quotients are f32, rounded to nearest even with subnormals kept, and logarithms f32,
 * correctly rounded (assumed). "same": the formula for finite amax is applied to the
 * pattern. (For E2M1, aiter-even gives 0xFD for infinity and for the NaN 0x7FC00000, and
 * 0 for 0x7FFFFFFF.) */
typedef enum {
	MX_RECIPE_FLOOR,             /* OCP: floor(log2 amax) - emax */
	MX_RECIPE_CEIL,              /* torchao: ceil(log2 amax) - emax */
	MX_RECIPE_EVEN,              /* torchao: amax rounded to the element's mantissa first */
	MX_RECIPE_RCEIL,             /* torchao: ceil(log2(amax * (1/max))) */
	MX_RECIPE_NVIDIA,            /* ceil(log2(amax / max)), infinity to 2^127 */
	MX_RECIPE_AITER_ROUND_UP,    /* as RCEIL, any subnormal product to 2^-126 */
	MX_RECIPE_AITER_EVEN,        /* as EVEN, wrapping around for NaN */
	MX_RECIPE_QUARK_EVEN,        /* as EVEN, infinity to 2^127 */
	MX_RECIPE_TRITON,            /* _mxfp4_quant_op */
	MX_RECIPE_PRIMUS,            /* Primus-Turbo: as EVEN, no special values */
	MX_RECIPE_MICROXCALING,      /* as FLOOR, of an f32 log2 that rounds */
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
	MX_RECIPE_AITER_MXFP8,         /* _mxfp8_quant_op: E4M3 with the rounding of E2M1 */
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

/* How the elements of a block with scale byte s become codes. All of them scale x by
 * 2^(127-s), exactly or, far below half the least element, with one harmless rounding.
 * Then they round once to the element format.
 *
 * DIVIDE      x / scale, saturating. Scale NaN: every code is the format's NaN
 *             (largest magnitude where it has none) with the sign of x.
 * RECIPROCAL  software: x times a reciprocal built from bits, saturating. For s = 0xFF
 *             the reciprocal is the NaN 0x7F800001, and so is every product. A NaN
 *             becomes 0x7F or 0xFF in FP8. In FP4 and FP6 the integer rounding does not
 *             check for NaN, so 0x7FC00000 becomes 3 (1.5) in E2M1.
 * CLAMP       Primus-Turbo: FP4 as DIVIDE. FP8 is first clamped to +-max * 2^(s-127)
 *             by fminf(fmaxf()), where s = 0 acts as scale 0: all codes are then
 *             zeros; a NaN becomes the lower limit. A limit that overflows is
 *             infinite; larger elements then overflow (FP16_OVFL = 0).
 * QUOTIENT    as RECIPROCAL, but x / scale: with s = 0xFF a NaN x stays its own NaN.
 * HALF_UP     microxcaling: as DIVIDE, but ties away by floor(|q| + 0.5) in f32, q in
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
	const char *source; /* of the rule: package, version or commit, and place */
	unsigned formats;   /* bit f is set if the recipe is defined for format f */
	bool keeps_nan;     /* a NaN in the block makes amax NaN; else NaNs are skipped */
	mx_rounding rounding;
	mx_scaling scaling;
};

/* The properties of a recipe; NULL if there is no such recipe. */
MXREF_API const struct mx_recipe_info *mx_recipe_info(mx_recipe r);

/* The recipe called `name` (case ignored); false if there is none. */
MXREF_API bool mx_recipe_by_name(const char *name, mx_recipe *r);

/* The scale for a block with largest magnitude amax (its sign is ignored):
 * NaN if the recipe is not defined for f. */
MXREF_API mx_e8m0 mx_scale(mx_recipe r, mx_format f, mx_f32 amax);

/* One element of a block with the given scale, scaled and rounded by the recipe but with
 * rounding o; only MX_SR uses `random`. */
MXREF_API mx_elem mx_scaled_encode(mx_recipe r, mx_format f, mx_f32 x, mx_e8m0 scale, mx_rounding o,
                                   uint32_t random);

/* mx_scale with MX_RECIPE_FLOOR. */
MXREF_API mx_e8m0 mx_scale_floor(mx_format f, mx_f32 amax);

/* Quantise x[0..n-1] as one block with MX_RECIPE_FLOOR: n codes, one to a byte, and the
 * scale. An empty block has scale 0x00, and may have NULL for x and codes. MX_BAD_POINTER,
 * MX_BAD_FORMAT; MX_BAD_SHAPE for n > MX_BLOCK. */
MXREF_API mx_status mx_quantize_block(mx_format f, const mx_f32 *x, size_t n, mx_elem *codes,
                                      mx_e8m0 *scale);

/* ---- quantisation: tensors ---- */

typedef enum { MX_DTYPE_F32, MX_DTYPE_BF16, MX_DTYPE_F16, MX_DTYPES } mx_dtype;

/* An input matrix. Element (r,c) lies r * row_bytes + c * col_bytes bytes from data. A stride
 * is zero or, with either sign, at least the size of an element. A contiguous C-ordered
 * matrix of f32 has row_bytes = 4 * cols and col_bytes = 4. */
struct mx_tensor {
	const void *data;
	mx_dtype dtype;
	size_t rows, cols;
	ptrdiff_t row_bytes, col_bytes;
};

/* A quantised matrix. Row r has its packed codes at codes + r * row_bytes and
 * the scale of its block b of 32 elements at scales[r * scale_row_bytes + b]; the last
 * block may be short. Bytes between rows are not touched. Unused bits of a row's last
 * byte are 0. */
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
 * row_align rows (0: 1). Padding has code 0. A block of padding has scale
 * pad_scale, and so have all rows of padding of the row-wise output. Blocks do
 * not cross groups: with several groups, column-wise output and 32x32 blocks need
 * a row_align that is a multiple of 32.
 *
 * hadamard: each 16 elements along the quantised direction are first replaced by
 * their Walsh-Hadamard transform, in f32, butterflies of distance 1, 2, 4, 8 and
 * then times 0.25 (Primus-Turbo rht16_inplace). The length of that direction, padding
 * included, must be a multiple of 16. Padding enters as zeros; padding of the column-wise
 * output that shares a transform with data gets the results of the transform.
 *
 * random: for MX_SR, random[r * cols + c] belongs to input element (r,c), for
 * either output; padding's is 0. */
struct mx_quantizer {
	mx_recipe recipe;
	mx_format format;
	mx_block block;
	bool hadamard;
	bool override; /* replace the recipe's element rounding by: */
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
 * MX_BAD_STRIDE   an output row that reaches into the next; an input stride between 0
 *                 and the size of an element
 * MX_BAD_OPTION   no such dtype, block or rounding; row_align (above) */
MXREF_API mx_status mx_quantize(const struct mx_quantizer *q, const struct mx_tensor *x,
                                const struct mx_quantised *rowwise,
                                const struct mx_quantised *colwise);

/* The plain version: the same bits, one element at a time, on one thread. */
MXREF_API mx_status mx_quantize_plain(const struct mx_quantizer *q, const struct mx_tensor *x,
                                      const struct mx_quantised *rowwise,
                                      const struct mx_quantised *colwise);

/* Element value times scale, rounded once to f32 (inexact only below 2^-126 and
 * above the range: infinity); NaN scales give NaN. Element (r,c) of q's rows x cols
 * is stored r * row_bytes + c * col_bytes bytes from out; swapped strides transpose.
 * Contiguous rows have row_bytes = 4 * cols and col_bytes = 4.
 *
 * MX_BAD_POINTER  (unless there are no elements), MX_BAD_FORMAT
 * MX_BAD_STRIDE   elements of out might overlap: the lesser of both strides must be at
 *                 least 4, the other at least that times its number of elements
 * MX_BAD_SHAPE    an output that does not fit memory */
MXREF_API mx_status mx_dequantize(mx_format f, const struct mx_quantised *q, size_t rows,
                                  size_t cols, mx_f32 *out, size_t row_bytes, size_t col_bytes);

/* ---- quantisation: schemes ---- */

/* A scheme is the quantisation of a matrix by one implementation, with scales other than those of
 * an MX recipe: f32 scales of FP8, the E4M3 scales of NVFP4, MXINT8, and the MicroeXponent formats
 * MX6 and MX9. mx_scheme_info has its source with the version. Rules for the same purpose differ
 * in bits: x is divided by the scale or multiplied by its reciprocal; the lower bounds of amax and
 * of the scale differ, and so do the results for zeros and NaN.
 *
 * Products and quotients are f32, rounded once to nearest even, subnormals kept. This is assumed
 * if the source leaves the last bit to the hardware: v_rcp_f32 in AITER, rcp.approx in vLLM's
 * NVFP4, Triton's f32 division in DeepSeek's kernels. The last step is the element's conversion
 * to nearest even, saturating. The sign of a NaN code is not defined; a NaN from arithmetic is
 * positive here.
 *
 * Below, m is the largest element. "numbers": amax is that of the numbers, 0 if there is none;
 * otherwise a NaN in the block makes amax NaN. The last term is the number y that the code is for;
 * "NaN: c" is the result for a y that is NaN, if it is not NaN.
 *
 *   NONE                s = 1; x
 *   DEEPSEEK            numbers; s = amax / m; x / s
 *   DEEPGEMM            amax >= 1e-4; s = amax / m; x * (1 / s)
 *   VLLM_TENSOR         numbers; s = amax / m; x * (1 / s); NaN: m, also in a tensor of zeros
 *   VLLM_TOKEN          numbers; s = amax / m, at least 1 / (512 m); x / s; NaN: m
 *   VLLM_GROUP          numbers, >= 1e-10; s = amax / m; x / s; NaN: -m
 *                       (in these three, m is 224 in E4M3FNUZ)
 *   AITER_TOKEN         numbers; s = amax * (1 / m); x * (1 / s); NaN: -m
 *   AITER_GROUP         as AITER_TOKEN, amax >= 1e-10
 *   AITER_TORCH         s = amax / m, or 1 for 0; x / s
 *   AITER_TORCH_TENSOR  s = amax / m; x / s
 *   TORCHAO             s = amax / m, rounded to x's type; x / s
 *   TORCHAO_TRAINING    amax >= 1e-12; s = m / amax; x * s. s is the factor of x
 *   TORCHAO_BLOCKWISE   as TORCHAO_TRAINING, but 1 / s is stored
 *   COMPRESSED_TENSORS  s = amax / m, rounded to x's type, or its epsilon for 0; x / s, rounded
 *                       to x's type
 *
 *   NVFP4: t is the scale of the tensor, from its own amax T if none is given; q is the scale of
 *   a block after its conversion to E4M3, to nearest even, saturating.
 *
 *   NVFP4_TORCHAO            t = T / 2688; q = amax / 6 / t, at least 2^-6; x * (1 / t / q). The
 *                            bits of a NaN go through integer rounding, as in MX_RECIPROCAL
 *   NVFP4_TORCHAO_SINGLE     no t; q = amax / 6, at least 2^-6; x * (1 / q); NaN as above
 *   NVFP4_MODELOPT           t = T / 2688; q = amax / (6 t), at least 2^-9, or 1 for 0;
 *                            x / (q * t); NaN: 6; -0 becomes 0
 *   NVFP4_COMPRESSED_TENSORS t = 1 / T * 2688, T at least the smallest normal of x's type, both
 *                            steps rounded to it, or 1 where that is not finite;
 *                            q = t * (amax / 6, rounded to x's type), or 0.125 for 0;
 *                            x / (q / t); NaN: 0; -0 becomes 0
 *   NVFP4_VLLM               numbers; t = 1 / T * 2688; q = t * (amax * (1/6));
 *                            x * (1 / (q * (1 / t))), or 0 where q is 0; subnormal reciprocals
 *                            are 0; NaN: 6
 *
 *   MXINT8        the scale of MX_RECIPE_FLOOR with emax 0; x / scale; codes from -127 on
 *   MXINT8_FULL   the same with codes from -128 on
 *   QUARK_MXINT8  the exponent of amax + 2^14 units of its last place; amax 0: 2^-126 (f16:
 * 2^-127), infinity: 2^127. (Quark's fake quantiser keeps scale / 64 at 2^-126 or above; its values
 * for smaller scales are not MXINT8.) QUARK_MX6     e is the largest exponent of 16 elements. A
 * pair of elements that both have a smaller one has its bit set and uses e - 1. x / 2^e or x /
 * 2^(e-1). Numbers below the smallest normal of x's type are 0 with exponent -127 (f16: -15);
 *                 infinity and NaN have this exponent too
 *   QUARK_MX9     the same with E0M7 */
typedef enum {
	MX_SCHEME_NONE,
	MX_SCHEME_DEEPSEEK, /* FP8 with f32 scales, this and what follows */
	MX_SCHEME_DEEPGEMM,
	MX_SCHEME_VLLM_TENSOR,
	MX_SCHEME_VLLM_TOKEN,
	MX_SCHEME_VLLM_GROUP,
	MX_SCHEME_AITER_TOKEN,
	MX_SCHEME_AITER_GROUP,
	MX_SCHEME_AITER_TORCH,
	MX_SCHEME_AITER_TORCH_TENSOR,
	MX_SCHEME_TORCHAO,
	MX_SCHEME_TORCHAO_TRAINING,
	MX_SCHEME_TORCHAO_BLOCKWISE,
	MX_SCHEME_COMPRESSED_TENSORS,
	MX_SCHEME_NVFP4_TORCHAO, /* E2M1 with E4M3 scales */
	MX_SCHEME_NVFP4_TORCHAO_SINGLE,
	MX_SCHEME_NVFP4_MODELOPT,
	MX_SCHEME_NVFP4_COMPRESSED_TENSORS,
	MX_SCHEME_NVFP4_VLLM,
	MX_SCHEME_MXINT8, /* INT8 with E8M0 scales */
	MX_SCHEME_MXINT8_FULL,
	MX_SCHEME_QUARK_MXINT8,
	MX_SCHEME_QUARK_MX6, /* E0M4 and E0M7 with an exponent and bits of pairs */
	MX_SCHEME_QUARK_MX9,
	MX_SCHEMES
} mx_scheme;

/* The elements that share a scale: the matrix, a row, or a block of rows by columns. A row is a
 * token, or an output channel of weights. Blocks at the right and lower edge may be smaller. */
typedef enum {
	MX_PER_TENSOR,
	MX_PER_ROW,
	MX_PER_1X16,
	MX_PER_1X32,
	MX_PER_1X128,
	MX_PER_128X128,
	MX_PERS
} mx_per;

/* How a scale is stored, and in how many bytes. */
typedef enum {
	MX_SCALE_F32, /* 4, little-endian: an element is code * scale (TORCHAO_TRAINING: / scale) */
	MX_SCALE_E4M3,  /* 1: code * (scale * tensor's), or code * (scale / tensor's) if the
	                 * tensor's scale is a factor of x (compressed-tensors, vLLM) */
	MX_SCALE_E8M0,  /* 1: code * 2^(scale-127) */
	MX_SCALE_PAIRS, /* 2: e, and bit j for the elements 2j and 2j+1: code * 2^(e-127-bit) */
} mx_scale_kind;

struct mx_scheme_info {
	const char *name;   /* "vllm-token" */
	const char *source; /* of the rule: package, version or commit, and place */
	unsigned formats;   /* bit f is set if the scheme is defined for format f */
	unsigned per;       /* bit p is set if it is defined for MX_PER_... p */
	mx_scale_kind scale;
	bool tensor_scale; /* the tensor has an f32 scale as well */
};

/* The properties of a scheme; NULL if there is none. By name (case ignored): false if none. */
MXREF_API const struct mx_scheme_info *mx_scheme_info(mx_scheme s);
MXREF_API bool mx_scheme_by_name(const char *name, mx_scheme *s);

/* "tensor", "row", "1x16", "1x32", "1x128", "128x128"; NULL if there is no such p. */
MXREF_API const char *mx_per_name(mx_per p);
MXREF_API bool mx_per_by_name(const char *name, mx_per *p);

/* How to quantise. The scheme must be defined for the format and for `per`. */
struct mx_scheme_args {
	mx_scheme scheme;
	mx_format format;
	mx_per per;
	const mx_f32 *tensor_scale; /* quantising: NULL takes that of the tensor's own amax.
	                             * Dequantising: needed if the scheme has one. */
};

/* The rows and columns of scales of a matrix of rows x cols, the bytes of a scale, and the rows and
 * columns of a block that is not at an edge. */
struct mx_scales_shape {
	size_t rows, cols, bytes, block_rows, block_cols;
};
MXREF_API mx_status mx_scheme_scales(const struct mx_scheme_args *a, size_t rows, size_t cols,
                                     struct mx_scales_shape *shape);

/* Quantise x. Row r of out has its packed codes at codes + r * row_bytes; scale (i,j) is at
 * scales + i * scale_row_bytes + j * bytes, where i and j count the blocks and bytes is that of
 * mx_scheme_scales: with MX_PER_128X128 one row of scales serves 128 rows of codes. Bytes between
 * rows are not touched; unused bits of a row's last byte are 0. For blocks down the columns swap
 * rows and cols, and the strides, of x. *tensor_scale gets the scale of the tensor; it may be NULL
 * if the scheme has none.
 *
 * MX_BAD_POINTER  a null pointer: a, x, out, shape, and what they point to if it is not empty;
 *                 tensor_scale (a->tensor_scale when dequantising) if the scheme has one
 * MX_BAD_RECIPE   no such scheme
 * MX_BAD_FORMAT   no such format, or not for this scheme
 * MX_BAD_OPTION   no such MX_PER_..., or not for this scheme; no such dtype
 * MX_BAD_SHAPE    a size that overflows
 * MX_BAD_STRIDE   an output row that reaches into the next, or a stride of x that splits an
 *                 element */
MXREF_API mx_status mx_scheme_quantize(const struct mx_scheme_args *a, const struct mx_tensor *x,
                                       const struct mx_quantised *out, mx_f32 *tensor_scale);

/* The inverse, with f32 products and quotients in the order of mx_scale_kind, each rounded once;
 * out and its strides are as in mx_dequantize. */
MXREF_API mx_status mx_scheme_dequantize(const struct mx_scheme_args *a,
                                         const struct mx_quantised *q, size_t rows, size_t cols,
                                         mx_f32 *out, size_t row_bytes, size_t col_bytes);

/* ---- matrix arithmetic ---- */

typedef enum { MX_MEASURED, MX_DOCUMENTED, MX_ASSUMED } mx_fidelity;

/* The evidence for one field of a profile. */
typedef struct {
	mx_fidelity fidelity;
	const char *source;
} mx_evidence;

/* How a matrix instruction accumulates. Named profiles; fields that are not listed are 0:
 *
 *   block32      group 32, parts 1
 *   fused        group 0, parts 1
 *   fma32        group 1, parts 1
 *   cdna3        group 16, parts 2, align 24, join 24, dot 32, acc 24, drop 25, limit 128
 *   cdna3_half   group 8, parts 1, align 24, dot 32, acc 24, norm 31, limit 128
 *
 * block32 is the default of mxcheck. cdna3 was measured on MI300X for FP8, cdna3_half for
 * FP16 and BF16 (arXiv 2511.10909). For gfx950 all are assumptions. The field `why` has the
 * evidence for each field.
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
 *   align > 0: with parts = 2, products of even and of odd k are added separately.
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
 * or infinities of both signs give the NaN 0x7FC00000 (the payload is assumed).
 * Otherwise an infinity gives infinity, also under clamp (assumed). With limit > 0 a
 * product of magnitude 2^limit or more counts as infinity, but under clamp its sum is
 * the largest f32. A NaN scale makes its block NaN even if all its products are zero.
 * A zero sum is -0 only if every product and c are -0, else +0 (IEEE 754 addition;
 * assumed); a negative sum that underflows is -0.
 *
 * Variations, which mxcheck probe searches. With exact sums functions are slower with any of them.
 *
 *   order   of the products, if group divides K: step s of S takes the products of step
 *           S - 1 - s (DESCENDING), those of k = s modulo S (STRIDED), the s-th group / 2
 *           of either half of K (HALVES), or those of k / 2 = s modulo S (PAIRS)
 *   split   1: parts are consecutive, group / parts products each; parts may be 4
 *   fused   1: c is one of the terms. E is the largest exponent of c and of the products;
 *           each is cut to a multiple of 2^(E - align). parts is 1; join, dot, acc, drop and
 *           norm are 0
 *   cut     how a term is cut to its unit: toward zero, floored, to nearest even, or to odd
 *   low     exponents P and E are at least -low
 *   late    1: the steps begin without c, which is added exactly to the last result and
 *           rounded; MX_LATE_NEAREST: to nearest even, whatever `round` is
 *   round   of the result: 0 to nearest even, 1 toward zero
 *   bits    of the result's fraction, at most 23; 0: 23
 *   flush   MX_FLUSH_..., or'ed: these subnormals become zero of their sign
 *   lead    1: a subnormal element's exponent is floor(log2 |x|), too
 *   nan     the bits of a NaN result; 0: 0x7FC00000. Of f64 it is widened
 *   zero    1: zero sums are +0; 2: so are results that underflow
 *   over    1: a sum that overflows becomes the largest number of its sign
 *   inner   with align = 0, what is rounded before c is added: MX_INNER_..., or'ed */
typedef struct {
	const char *name;
	unsigned group, parts, align, join, dot, acc, drop, norm, limit;
	mx_fidelity fidelity; /* of the whole, on gfx950 */
	const char *source;
	struct {
		mx_evidence group, parts, align, join, dot, acc, drop, norm, limit;
	} why; /* of each field; no result depends on it */
	/* The variations of other devices, all 0 in the profiles above. */
	unsigned order, split, fused, cut, low, late, round, bits, flush, lead, nan, zero, over,
		inner;
} mx_profile;

enum { MX_ORDER_ASCENDING, MX_ORDER_DESCENDING, MX_ORDER_STRIDED, MX_ORDER_HALVES, MX_ORDER_PAIRS };
enum { MX_LATE_NEAREST = 2 };
enum { MX_CUT_ZERO, MX_CUT_FLOOR, MX_CUT_NEAREST, MX_CUT_ODD };
enum { MX_FLUSH_ELEMENTS = 1, MX_FLUSH_C = 2, MX_FLUSH_RESULTS = 4, MX_FLUSH_ALL = 7 };
enum { MX_INNER_SUM = 1, MX_INNER_PRODUCTS = 2, MX_INNER_BOTH = 3 };

/* MX_OK if a profile can be used: parts is 1, 2 or 4, limit 0 or at least 1; with align = 0
 * (exact sums) parts is 1 and join to limit, split, fused, cut and low are 0; else inner is 0,
 * group is 1 to 128, align, dot and acc are 1 to 40, norm and drop at most 60, and join is 1 to 40
 * with parts and 0 with one. Else MX_BAD_PROFILE; MX_BAD_POINTER for NULL. The functions below take
 * profiles that pass. */
MXREF_API mx_status mx_profile_check(const mx_profile *p);

/* The profile called `name`, or NULL. mx_profile_at(i) lists them; NULL ends. */
MXREF_API const mx_profile *mx_profile_by_name(const char *name);
MXREF_API const mx_profile *mx_profile_at(size_t i);

/* The dot product of one output element, under a profile:
 *
 *   c + sum over k < K of a[k] * 2^(sa[k/32]-127) * b[k] * 2^(sb[k/32]-127)
 *
 * a and b are codes, one to a byte; *d gets the result. This is the plain version, by
 * wide fixed-point integers. MX_BAD_POINTER, MX_BAD_FORMAT, MX_BAD_PROFILE;
 * MX_BAD_SHAPE if K is not a multiple of 32. */
MXREF_API mx_status mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K,
                               const mx_elem *a, const mx_e8m0 *sa, const mx_elem *b,
                               const mx_e8m0 *sb, mx_f32 c, mx_f32 *d);

/* One operand of a dot: codes, one to a byte, and a scale for each `block` of them, 16 or 32. */
struct mx_dot_operand {
	mx_format format;
	const mx_elem *codes;
	mx_scale_format scale_format;
	unsigned block;
	const uint8_t *scales;
};

/* The same with scales of any format. A scale is a factor like an element: its exponent is that of
 * its value, or of the smallest normal number. Its blocks do not change the steps of a profile:
 * block32 adds two blocks of 16 at a time (assumed). Flushing of a profile is of elements, not of
 * scales. MX_BAD_OPTION: no such scale format or block; MX_BAD_SHAPE: K is no multiple of a block.
 */
MXREF_API mx_status mx_mma_block_dot(const mx_profile *p, unsigned K,
                                     const struct mx_dot_operand *a, const struct mx_dot_operand *b,
                                     mx_f32 c, mx_f32 *d);

/* The shapes of the scaled MFMA: D[M][N] = A[M][K] * B[K][N] + C[M][N]. */
typedef enum { MX_16X16X128, MX_32X32X64 } mx_shape;
enum { MX_LANES = 64 };

MXREF_API unsigned mx_shape_mn(mx_shape s); /* M = N: 16 or 32 */
MXREF_API unsigned mx_shape_k(mx_shape s);  /* 128 or 64 */

/* VGPRs that an operand of format f takes: 8 (FP8), 6 (FP6) or 4 (FP4). */
MXREF_API unsigned mx_operand_vgprs(mx_format f);

/* The layout of the registers [ISA 7.1.5, 7.2]. Each lane holds 32 elements of one
 * row of A, or of one column of B; below, MN = mx_shape_mn(), K = mx_shape_k() and
 * g = lane / MN, which is 0 to 3 (16x16x128) or 0 to 1 (32x32x64).
 *
 * Element j (0..31) of a lane is mx_elem_get(f, array, j), where the array is the lane's
 * registers in order, each little-endian:
 *
 *         register    its bits                      registers
 *   FP8   j / 4       8 * (j % 4), 8 of them        8
 *   FP6   6 * j / 32  6 * j % 32, 6 of them         6   (j = 5, 10, 21 and 26 continue in
 *   FP4   j / 8       4 * (j % 8), 4 of them        4    the low bits of the next one)
 *
 * Its place in A (B: column for row):
 *
 *         row         k
 *   FP8   lane % MN   16 g + j                for j < 16: 16 bytes of the lower half of K
 *                     K/2 + 16 g + j - 16     for j >= 16: 16 bytes of the upper half
 *   FP6   lane % MN   32 g + j                32 consecutive k, a block
 *   FP4   lane % MN   32 g + j
 *
 * The scale of a lane is that of row lane % MN and block g, which has k = 32 g to
 * 32 g + 31. In FP8 this is not the block of the lane's own elements.
 *
 * Register r of a lane's C or D is element [4 (64 / MN) (r / 4) + 4 g + r % 4][lane % MN];
 * r is 0 to 3 (16x16x128) or 0 to 15 (32x32x64).
 *
 * The functions compute this layout: *mn is the row of A or the column of B.
 * MX_BAD_POINTER, MX_BAD_FORMAT; MX_BAD_OPTION: no such shape, lane, j or r.
 *
 * Padding. Fill missing rows, columns and last k with code 0 and a scale that is not NaN,
 * such as 0x7F or 0x00. Pad both operands: a zero of one operand times infinity (E5M2), NaN
 * or a NaN scale of the other is NaN. A product of two such zeros changes no sum under the
 * profiles above, except that a sum of -0 becomes +0. To keep that sign, pad one operand with
 * -0, the code of the sign bit alone. */
MXREF_API mx_status mx_layout_operand(mx_shape s, mx_format f, unsigned lane, unsigned j,
                                      unsigned *mn, unsigned *k);
MXREF_API mx_status mx_layout_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block);
MXREF_API mx_status mx_layout_result(mx_shape s, unsigned lane, unsigned r, unsigned *row,
                                     unsigned *col);

/* One scaled MFMA on registers. a, b: mx_operand_vgprs() registers of 64 lanes;
 * c, d: 4 (16x16x128) or 16 (32x32x64) registers, may be the same array;
 * scale_a, scale_b: the scale byte of each lane, already selected by OP_SEL; 127
 * throughout for the unscaled instructions. EXEC does not matter [ISA table 28].
 *
 * abs_c, neg_c: input modifiers, on C alone: first |c|, then -c; NaN stays NaN.
 * clamp: the CLAMP bit with MODE.FP16_OVFL: overflow gives +-0x7F7FFFFF in place
 * of infinity [ISA 7.1.5], in every step of the profile (assumed).
 * scale_format_a, scale_format_b, block: as in mx_mma_block_dot; 0 is E8M0 and 32, all that gfx950
 * has. With blocks of 16 there are 128 scales: that of row mn and block i is scale_a[i * MN + mn].
 *
 * MX_BAD_POINTER, MX_BAD_FORMAT, MX_BAD_PROFILE; MX_BAD_OPTION: no such shape, scale format or
 * block. */
struct mx_mma_args {
	const mx_profile *profile;
	mx_shape shape;
	mx_format fmt_a, fmt_b;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	const uint8_t *scale_a, *scale_b;
	uint32_t (*d)[MX_LANES];
	bool abs_c, neg_c, clamp;
	mx_scale_format scale_format_a, scale_format_b;
	unsigned block;
};

/* The plain version: one dot for each element. */
MXREF_API mx_status mx_mma_scaled_plain(const struct mx_mma_args *args);

/* The same bits, faster. The emulator calls this one. */
MXREF_API mx_status mx_mma_scaled(const struct mx_mma_args *args);

/* ---- dense matrix instructions ---- */

/* Element types of A, B, C and D of a dense MFMA or of a WMMA. */
typedef enum {
	MX_T_F64,
	MX_T_F32,
	MX_T_F16,
	MX_T_BF16,
	MX_T_FP8, /* E4M3 */
	MX_T_BF8, /* E5M2 */
	MX_T_I8,
	MX_T_I32,
	MX_T_U8,
	MX_T_F8F6F4, /* an MX format, by a field of the instruction */
	MX_T_FP4,    /* E2M1 */
	MX_T_I4,
	MX_T_U4,
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

/* The items of an operand (k) or of the result in a lane, and the registers that they
 * fill. Items are packed little-endian; a 64-bit item is two registers. 0 for NULL. */
MXREF_API unsigned mx_dense_operand_items(const struct mx_dense *op);
MXREF_API unsigned mx_dense_result_items(const struct mx_dense *op);
MXREF_API unsigned mx_dense_operand_vgprs(const struct mx_dense *op);
MXREF_API unsigned mx_dense_result_vgprs(const struct mx_dense *op);

/* The layout [ISA 7.1.4]: `item` of a lane is A[*block][*mn][*k] in operand A,
 * B[*block][*k][*mn] in B, and D[*block][*row][*col] in C and D. MX_BAD_POINTER;
 * MX_BAD_OPTION: no such lane or item. */
MXREF_API mx_status mx_dense_operand(const struct mx_dense *op, unsigned lane, unsigned item,
                                     unsigned *block, unsigned *mn, unsigned *k);
MXREF_API mx_status mx_dense_result(const struct mx_dense *op, unsigned lane, unsigned item,
                                    unsigned *block, unsigned *row, unsigned *col);

/* The profile of a dense instruction if the scaled ones have profile `p`: for f32 and f64 operands
 * fma32 if p is one of mx_profile_at() or cannot be theirs (chains of FMAs of f32 were measured on
 * MI300, arXiv 2511.10909; f64 is assumed), cdna3_half instead of cdna3 for 16-bit operands, else p
 * itself. NULL for NULL. */
MXREF_API const mx_profile *mx_dense_profile(const struct mx_dense *op, const mx_profile *p);

/* One dense MFMA on registers; c and d may be the same array. The arithmetic:
 *
 *   f64, f32, f16, bf16, fp8, bf8: the profile's definition, all scales 1, K that of op; of f64
 *     with f64 in place of f32. For f32 and f64 fma32 is c = fma(a, b, c) in order of k, and align
 *     must be 0; for f64 also bits. The named profiles keep denormals (table 28 of the manual; in
 *     its 7.4, MODE controls f32), and their NaN is 0x7FC00000 or 0x7FF8000000000000.
 *   i8: the exact sum, modulo 2^32, or with clamp or the profile's `over` the nearest i32
 *     (one clamp, at the end: assumed).
 *
 * cbsz, abid: broadcast of A: its lane l is read from lane l % S + S * abid, with
 * S = 64 >> cbsz; blgp selects the lane that B's is read from [ISA table 29]. In f64
 * instructions cbsz and abid are ignored and bits 0, 1, 2 of blgp negate A, B, C.
 * clamp is as for the scaled instructions; it has no effect on f64 (assumed).
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

/* The same, one product at a time: the reference for the fast implementations. */
MXREF_API mx_status mx_mma_dense_plain(const struct mx_dense_args *args);

/* ---- sparse matrix instructions ---- */

/* A sparse MFMA of gfx950: D = D + A * B [ISA 7.5]. A is M x K and stores two of every four
 * consecutive k; B is K x M. sparse.def lists them. */
struct mx_sparse {
	const char *name; /* mnemonic: "v_smfmac_f32_16x16x32_f16" */
	unsigned m, k;
	mx_type a, b, d;
};
MXREF_API const struct mx_sparse *mx_sparse_by_name(const char *name); /* NULL: none */
MXREF_API const struct mx_sparse *mx_sparse_at(size_t i);              /* NULL ends */

/* Registers of A, and of the result; B fills twice those of A. 0 for NULL. */
MXREF_API unsigned mx_sparse_a_vgprs(const struct mx_sparse *op);
MXREF_API unsigned mx_sparse_result_vgprs(const struct mx_sparse *op);

/* One sparse MFMA on registers. Lane l holds a part of row l % M of A and of column l % M of B.
 * Groups of M lanes take turns along k of B with 16 bytes; A's stored items, as an M x K / 2
 * matrix, fill the lane of the first group, then that of the next one. Bits 2i and 2i + 1 of a
 * lane's set of indices select the k of its i-th item of A among four; `index` holds as many sets
 * as fit, and cbsz and abid select one. The arithmetic is that of the dense instructions on the
 * stored items: K / 2 products in the order of k (assumed).
 *
 * MX_BAD_POINTER; MX_BAD_PROFILE; MX_BAD_OPTION where the manual leaves it undefined: the two
 * indices of four k do not ascend. */
struct mx_sparse_args {
	const struct mx_sparse *op;
	const mx_profile *profile;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], *index; /* index[lane] */
	uint32_t (*d)[MX_LANES];                               /* C, and the result */
	unsigned cbsz, abid;
	bool clamp;
};
MXREF_API mx_status mx_mma_sparse(const struct mx_sparse_args *args);

/* The same, one product at a time: the reference for the fast implementations. */
MXREF_API mx_status mx_mma_sparse_plain(const struct mx_sparse_args *args);

/* ---- matrix instructions of gfx1250 ---- */

/* A WMMA of gfx1250, dense or scaled: D = C + A * B with A of m x k, B of k x 16, C and D of m
 * x 16; or a SWMMAC, which has a sparse A: it stores two of every four consecutive k. wmma.def
 * lists them, as LLVM 22 does. Waves have 32 lanes: the registers below have MX_LANES, of which the
 * first 32 are read and written. EXEC does not matter (assumed). */
enum { MX_WAVE32 = 32, MX_WMMA_N = 16 };
typedef enum { MX_SIDE_A, MX_SIDE_B } mx_side;
struct mx_wmma {
	const char *name; /* mnemonic: "v_wmma_f32_16x16x32_f16" */
	unsigned m, k;
	mx_type ab[2], c, d;
	unsigned block; /* elements that share a scale: 0 (no scales), 32 or 16 (scale16) */
	bool sparse;    /* a SWMMAC */
};
MXREF_API const struct mx_wmma *mx_wmma_by_name(const char *name); /* NULL: none */
MXREF_API const struct mx_wmma *mx_wmma_at(size_t i);              /* NULL ends */

/* The items of an operand in a lane and the registers that they fill, and those of C and D (vgprs:
 * of D). f, here and below, is the format where the type is MX_T_F8F6F4, MX_E2M1 where it is
 * MX_T_FP4, and otherwise ignored. 0 for NULL, and vgprs for another format. */
MXREF_API unsigned mx_wmma_operand_items(const struct mx_wmma *op, mx_side s);
MXREF_API unsigned mx_wmma_operand_vgprs(const struct mx_wmma *op, mx_side s, mx_format f);
MXREF_API unsigned mx_wmma_result_items(const struct mx_wmma *op);
MXREF_API unsigned mx_wmma_result_vgprs(const struct mx_wmma *op);

/* The layout. `item` of a lane is A[*mn][*k], or B[*k][*mn], and of C or D [*row][*col]. Items are
 * packed little-endian; FP6 continue in the next register. With h = lane / 16:
 *
 *   A, B   mn = lane % 16
 *          f32         k = 2 h + item
 *          f16, bf16   k = 16 (item / 8) + 8 h + item % 8
 *          8 bits      k = 32 (item / 16) + 16 h + item % 16
 *          FP6, FP4    k = 64 (item / 32) + 32 h + item % 32
 *          K = 16      k = 8 h + item; K = 32 of 4 bits: k = 16 h + item
 *          In A of 32 rows, items 64 to 127 are those of row 16 + lane % 16.
 *   SWMMAC A   k = the place of the item among the K / 2 stored ones of its row: A as a matrix of
 *              half its K, as above
 *          B   k = 4 (p / 2) + item % 4, where p is the place of item 2 (item / 4) of the
 *              same lane of A. Items 2 i and 2 i + 1 of a lane of A meet items 4 i to 4 i + 3
 *              of lanes of B in the same half of the wave.
 *   C, D   row = 16 (item / 8) + 8 h + item % 8, col = lane % 16
 *   scale  byte i of a register (block 32) or of a pair (block 16) is that of block i; its
 *          lane is the row of a 32-row A, else the row or column plus 16 scale_row
 *
 * Sources: rocjitsu, and FlyDSL's kernels for f16, FP8 and FP4 with scales. Assumed: the unscaled
 * forms of FP6 and FP4 are as the scaled ones (rocjitsu permutes their k), and 16x16x64 of FP8 has
 * runs of 16 k (FlyDSL has 8). Both change only the order of the sums. What meets in a SWMMAC, and
 * its indices below, are those of rocjitsu, which cites kernels that were validated on hardware,
 * and of ROCm/hip-fpsan, measured; they agree. The public manual's description differs, says
 * rocjitsu.
 *
 * MX_BAD_POINTER; MX_BAD_OPTION: no such lane, item or side; MX_BAD_FORMAT. */
MXREF_API mx_status mx_wmma_operand(const struct mx_wmma *op, mx_side s, mx_format f, unsigned lane,
                                    unsigned item, unsigned *mn, unsigned *k);
MXREF_API mx_status mx_wmma_result(const struct mx_wmma *op, unsigned lane, unsigned item,
                                   unsigned *row, unsigned *col);

/* mx_dense_profile for a WMMA. */
MXREF_API const mx_profile *mx_wmma_profile(const struct mx_wmma *op, const mx_profile *p);

/* One WMMA on registers; d may be c. The arithmetic is that of the dense instructions, or with an
 * MX format that of mx_mma_block_dot, K at once. The accumulation of gfx1250 is not published: all
 * profiles are assumptions for it. C and D of 16 bits (assumed): C is widened, the steps are those
 * of f32, and D is rounded once more, to nearest even.
 *
 * clamp: i32 saturates (the CLAMP bit), f16 and bf16 results that overflow become the largest
 * number (MODE.FP16_OVFL, as in rocjitsu). f32 results ignore it. abs_c, neg_c: first |c|, then -c;
 * NEG of A and B is left to the caller, who flips signs in registers.
 *
 * A SWMMAC adds K / 2 products, those of the stored items. Two bits of `index` for each item of A
 * select its k among four; the two of a pair ascend. With n items in a lane of A:
 *
 *   B in 16 registers   f16 and bf16 with K = 64, 8 bits with K = 128. Lane l has the bits
 *                       of items n/2 (l / 16) to n/2 (l / 16) + n/2 - 1 of lane l % 16, then
 *                       those of the same items of lane 16 + l % 16; index_key is 0.
 *   B in fewer          Lane l has those of its own items, from bit 16 index_key on.
 *
 * MX_BAD_POINTER, MX_BAD_PROFILE; MX_BAD_FORMAT: not a format of the instruction; MX_BAD_OPTION: no
 * such scale format, scale_row above 1, index_key without a meaning, indices that do not ascend. */
struct mx_wmma_operand {
	const uint32_t (*regs)[MX_LANES];
	mx_format format;                   /* of MX_T_F8F6F4 and MX_T_FP4 */
	bool is_unsigned;                   /* of MX_T_I8 and MX_T_I4 */
	const uint32_t (*scales)[MX_LANES]; /* 1 register, or 2 with blocks of 16 */
	mx_scale_format scale_format;
	unsigned scale_row; /* MATRIX_SCALE_ROW0 or ROW1; without effect on a 32-row A */
};
struct mx_wmma_args {
	const struct mx_wmma *op;
	const mx_profile *profile;
	struct mx_wmma_operand ab[2];
	const uint32_t (*c)[MX_LANES];
	uint32_t (*d)[MX_LANES];
	bool abs_c, neg_c, clamp;
	/* Of a SWMMAC: 1 register, or 2 with 8 bits and K = 128. */
	const uint32_t (*index)[MX_LANES];
	unsigned index_key;
};
MXREF_API mx_status mx_mma_wmma(const struct mx_wmma_args *args);

/* The same, one product at a time: the reference for the fast one. */
MXREF_API mx_status mx_mma_wmma_plain(const struct mx_wmma_args *args);

/* ---- tensor descriptors of gfx1250 ---- */

/* What tensor_load_to_lds and tensor_store_from_lds copy between device memory and LDS. The
 * descriptor is 20 dwords of SGPRs: group 0 (4 dwords), 1 (8), 2 (4) and 3 (4). Groups 2 and 3 are
 * zero where the instruction has `null`.
 *
 * The instruction copies a tile of up to five dimensions, of which 0 is the innermost. In memory,
 * element x[0..4] of the tile lies at
 *
 *   memory + bytes * (x[0] + x[1] * stride[1] + ... + x[4] * stride[4])
 *
 * In LDS the elements follow each other, x[0] fastest. A load with padding leaves `pad` bytes
 * unwritten after each `pad_every` bytes. An element is outside the tensor if x[i] >= tensor[i] for
 * any i: a load writes 0 for it, a store drops it. So tensor[] counts from the tile's start.
 *
 * Strides are in elements here, as in the manual.
 *
 *   gather    x[1] counts row[]: row i of the tile is row row[i] of the tensor.
 *   repeats   The tile is copied `repeats` times. Copy i begins memory_step * i elements further in
 *             memory and lds_step * i in LDS. Its elements are outside if their coordinates in the
 *             tensor are, which are those of its first element plus x (assumed).
 *
 * Sources: the CDNA5 instruction set manual, section 10.11 and tables 61 to 67, as public digests
 * quote it; HIP's amd_gfx1250_TDM.h; rocjitsu, for repeats and what the manual leaves open.
 * Assumed: padding of a tile that repeats counts bytes from the first copy on; a tile of no
 * elements arrives at its barrier; a pad_interval or pad_amount of 0 is a size like any other
 * (table 63; the text wants both to be 0 or neither). */
enum { MX_TDM_DWORDS = 20, MX_TDM_DIMS = 5, MX_TDM_ROWS = 16 };
struct mx_tdm {
	const char *invalid;        /* what no source defines: "its type is not 2". NULL: nothing */
	bool store;                 /* tensor_store_from_lds */
	bool null;                  /* copies nothing and arrives nowhere; no other field matters */
	uint64_t memory;            /* address of the tile's first element */
	uint32_t lds;               /* and in LDS: from the start of the workgroup's, in bytes */
	unsigned bytes;             /* of an element: 1, 2, 4 or 8 */
	unsigned dims;              /* of the tile; 0: it has no elements */
	uint32_t tile[MX_TDM_DIMS]; /* elements in each dimension */
	uint32_t tensor[MX_TDM_DIMS]; /* elements from the tile's first to the tensor's end */
	uint64_t stride[MX_TDM_DIMS]; /* elements in memory to the next; stride[0] is 1 */
	bool gather;                  /* two dimensions */
	uint32_t row[MX_TDM_ROWS];
	unsigned repeats; /* 1 or more */
	uint64_t memory_step;
	uint32_t lds_step;       /* both in elements */
	unsigned pad_every, pad; /* bytes; 0: no padding, as in stores */
	uint16_t workgroups;     /* of a cluster that make the same load; 0: no multicast */
	bool early_timeout;      /* the load does not wait for other workgroups */
	bool arrives;            /* at the barrier in LDS, when the copy is over */
	uint32_t barrier;        /* its address in LDS, bytes */
};

/* Decodes a descriptor: also an invalid one, as far as it goes. MX_BAD_POINTER. */
MXREF_API mx_status mx_tdm_decode(const uint32_t d[MX_TDM_DWORDS], bool store, struct mx_tdm *t);

/* Bytes that follow each other in memory and in LDS. */
struct mx_tdm_move {
	uint64_t memory; /* meaningless if not inside */
	uint32_t lds;
	uint32_t bytes;
	bool inside; /* the tensor: otherwise a load writes zeros, and a store does nothing */
};
typedef void mx_tdm_visit(void *context, const struct mx_tdm_move *m);

/* Visits all bytes that a descriptor copies, from the tile's first element to its last, in moves of
 * whole elements. Nothing is visited unless the result is MX_OK. MX_BAD_POINTER; MX_BAD_OPTION: the
 * descriptor is invalid; MX_BAD_SHAPE: it reaches beyond 4 GiB of LDS. */
MXREF_API mx_status mx_tdm_moves(const struct mx_tdm *t, mx_tdm_visit *visit, void *context);

/* The end in LDS of what it copies, exclusive, in bytes; UINT64_MAX for 2^32 elements and more; 0
 * if it copies nothing, is invalid or NULL. */
MXREF_API uint64_t mx_tdm_lds_end(const struct mx_tdm *t);

/* Writes what a descriptor says as one line, cut to `room` bytes with the final 0, for example
 *
 *   load [64][128] of 2 bytes at 0x7f0000010000, strides [4096]; tensor from there [100][4096];
 *   LDS 0x800, 16 bytes after each 256; arrives at LDS 0x40
 *
 * Dimensions are outermost first. Returns the size of the whole line; 0 for NULL. */
MXREF_API size_t mx_tdm_text(const struct mx_tdm *t, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
