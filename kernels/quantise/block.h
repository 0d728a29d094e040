/* A block of 32 elements in four lanes, 8 in each: its scale, the Hadamard transform, and
 * conversion to codes. For device code only.
 *
 * The scale is floor(log2 amax) less the exponent of the format's largest element [OCP MX v1.0,
 * 6.3]. Elements are rounded by v_cvt_scalef32_*: to nearest even, or stochastically by a random
 * number for each element, and saturate. */
#ifndef BLOCK_H
#define BLOCK_H

#include "../gfx950.h"

typedef short s16x2 __attribute__((ext_vector_type(2)));
typedef float f32x2 __attribute__((ext_vector_type(2)));

enum { OF_LANE = 8, OF_BLOCK = 32, INFINITE = 0x7f800000 };
enum format { E2M1, E4M3, E5M2 };

/* Bytes of the codes of n elements. */
INLINE u32 code_bytes(enum format f, u32 n) {
	return f == E2M1 ? n / 2 : n;
}

/* FP8 saturates only with MODE.FP16_OVFL [CDNA4 ISA 7.3]. */
#ifndef SATURATES
#define SATURATES 1
#endif
INLINE void saturate_fp8(void) {
	enum { MODE = 1, FP16_OVFL = 23 };
	__builtin_amdgcn_s_setreg(MODE | FP16_OVFL << 6, SATURATES);
}

#define MAGNITUDE(x) ((x)&0x7fffffff)
#define BITS(x)      __builtin_bit_cast(u32, x)
#define FLOAT(x)     __builtin_bit_cast(float, x)

/* The two bf16 of each dword. */
INLINE void widen_bf16(u32x4 pairs, float x[OF_LANE]) {
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		x[2 * i] = FLOAT((u32)pairs[i] << 16);
		x[2 * i + 1] = FLOAT((u32)pairs[i] & 0xffff0000);
	}
}

INLINE u32 larger(u32 a, u32 b) {
	return a > b ? a : b;
}

enum { SWAP_ONE = 0xb1, SWAP_TWO = 0x4e }; /* quad_perm:[1,0,3,2], [2,3,0,1] */
#define QUAD(x, swap) __builtin_amdgcn_mov_dpp(x, swap, 15, 15, 1)

/* Of the four lanes of a block. NaN is the largest of all patterns without their sign. */
INLINE u32 largest(const float x[OF_LANE]) {
	u32 amax = 0;
#pragma unroll
	for (u32 i = 0; i < OF_LANE; i++)
		amax = larger(amax, MAGNITUDE(BITS(x[i])));
	amax = larger(amax, QUAD(amax, SWAP_ONE));
	return larger(amax, QUAD(amax, SWAP_TWO));
}

/* The exponent of the format's largest element. */
INLINE u32 emax(enum format f) {
	return f == E2M1 ? 2 : f == E4M3 ? 8 : 15;
}

/* The scale's byte for the largest magnitude, as a pattern of f32. */
#ifndef SCALE_OF
#define SCALE_OF(amax, f) floor_scale(amax, f)
#endif
INLINE u32 floor_scale(u32 amax, enum format f) {
	u32 field = amax >> 23;
	return amax >= INFINITE ? 0xff : field < emax(f) ? 0 : field - emax(f);
}

/* The Walsh-Hadamard transform of each 16 elements, which two lanes share: butterflies of distance
 * 1, 2, 4 in the lane and 8 across, then times 0.25. */
INLINE void hadamard(float x[OF_LANE]) {
#pragma unroll
	for (u32 distance = 1; distance < OF_LANE; distance *= 2)
#pragma unroll
		for (u32 i = 0; i < OF_LANE; i++)
			if (!(i & distance)) {
				float a = x[i], b = x[i + distance];
				x[i] = a + b;
				x[i + distance] = a - b;
			}
	float sign = LANE() & 1 ? -1.0f : 1.0f;
#pragma unroll
	for (u32 i = 0; i < OF_LANE; i++) {
		float other = FLOAT(QUAD(BITS(x[i]), SWAP_ONE));
		x[i] = __builtin_fmaf(x[i], sign, other) * 0.25f;
	}
}

/* ---- to codes ---- */

struct codes {
	u32 low, high; /* high: of FP8 alone */
};

/* The conversion reads the exponent of an f32 alone. */
#ifndef AS_F32
#define AS_F32(scale) ((scale) << 23)
#endif
INLINE float as_f32(u32 scale) {
	return FLOAT(AS_F32(scale));
}

/* An element before its conversion. */
#ifndef ELEMENT
#define ELEMENT(x) (x)
#endif

/* The place of element i of a pair. */
#ifndef IN_PAIR
#define IN_PAIR(i) (i)
#endif

#define TO_FP4(n)                                                                                  \
	word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, ELEMENT(x[2 * n + IN_PAIR(0)]),      \
	                                                ELEMENT(x[2 * n + IN_PAIR(1)]), s, n)
INLINE struct codes to_fp4(const float x[OF_LANE], float s) {
	u32 word = 0;
	TO_FP4(0);
	TO_FP4(1);
	TO_FP4(2);
	TO_FP4(3);
	return (struct codes){ word, 0 };
}

#define TO_FP8(type, from)                                                                         \
	({                                                                                         \
		s16x2 word = {};                                                                   \
		word = __builtin_amdgcn_cvt_scalef32_pk_##type##_f32(word, x[from], x[from + 1],   \
		                                                     s, 0);                        \
		word = __builtin_amdgcn_cvt_scalef32_pk_##type##_f32(word, x[from + 2],            \
		                                                     x[from + 3], s, 1);           \
		__builtin_bit_cast(u32, word);                                                     \
	})
INLINE struct codes to_fp8(const float x[OF_LANE], float s) {
	return (struct codes){ TO_FP8(fp8, 0), TO_FP8(fp8, 4) };
}

INLINE struct codes to_bf8(const float x[OF_LANE], float s) {
	return (struct codes){ TO_FP8(bf8, 0), TO_FP8(bf8, 4) };
}

/* The instruction rounds both elements of a pair by one random number, so each is converted with
 * its own, and the low nibbles remain. In assembly, because clang 22 does not keep the other bytes
 * of the destination. They alternate, because an instruction that writes a part of a register needs
 * a wait state before one that writes another part [LLVM GCNHazardRecognizer]. */
INLINE struct codes round_fp4(const float x[OF_LANE], const u32 random[OF_LANE], float s) {
	u32 even = 0, odd = 0;
	f32x2 pair[OF_LANE];
#pragma unroll
	for (u32 i = 0; i < OF_LANE; i++)
		pair[i] = (f32x2){ x[i], x[i] };
	asm("v_cvt_scalef32_sr_pk_fp4_f32 %0, %3, %11, %2\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %1, %4, %12, %2\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %0, %5, %13, %2 op_sel:[0,0,1,0]\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %1, %6, %14, %2 op_sel:[0,0,1,0]\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %0, %7, %15, %2 op_sel:[0,0,0,1]\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %1, %8, %16, %2 op_sel:[0,0,0,1]\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %0, %9, %17, %2 op_sel:[0,0,1,1]\n\t"
	    "v_cvt_scalef32_sr_pk_fp4_f32 %1, %10, %18, %2 op_sel:[0,0,1,1]\n\t"
	    "s_nop 0"
	    : "+&v"(even), "+&v"(odd)
	    : "v"(s), "v"(pair[0]), "v"(pair[1]), "v"(pair[2]), "v"(pair[3]), "v"(pair[4]),
	      "v"(pair[5]), "v"(pair[6]), "v"(pair[7]), "v"(random[0]), "v"(random[1]),
	      "v"(random[2]), "v"(random[3]), "v"(random[4]), "v"(random[5]), "v"(random[6]),
	      "v"(random[7]));
	return (struct codes){ (even & 0x0f0f0f0f) | (odd << 4 & 0xf0f0f0f0), 0 };
}

#define ROUND_FP8(type, from)                                                                      \
	({                                                                                         \
		u32 word = 0;                                                                      \
		word = __builtin_amdgcn_cvt_scalef32_sr_##type##_f32(word, x[from], random[from],  \
		                                                     s, 0);                        \
		word = __builtin_amdgcn_cvt_scalef32_sr_##type##_f32(word, x[from + 1],            \
		                                                     random[from + 1], s, 1);      \
		word = __builtin_amdgcn_cvt_scalef32_sr_##type##_f32(word, x[from + 2],            \
		                                                     random[from + 2], s, 2);      \
		word = __builtin_amdgcn_cvt_scalef32_sr_##type##_f32(word, x[from + 3],            \
		                                                     random[from + 3], s, 3);      \
		word;                                                                              \
	})
INLINE struct codes round_fp8(const float x[OF_LANE], const u32 random[OF_LANE], float s) {
	return (struct codes){ ROUND_FP8(fp8, 0), ROUND_FP8(fp8, 4) };
}

INLINE struct codes round_bf8(const float x[OF_LANE], const u32 random[OF_LANE], float s) {
	return (struct codes){ ROUND_FP8(bf8, 0), ROUND_FP8(bf8, 4) };
}

/* What a kernel does: constants, so that each kernel has only its own code. */
struct method {
	enum format format;
	u32 hadamard, stochastic;
};

struct quantised {
	struct codes codes;
	u32 scale;
};

INLINE struct quantised quantise(struct method m, float x[OF_LANE], const u32 random[OF_LANE]) {
	if (m.hadamard)
		hadamard(x);
	u32 scale = SCALE_OF(largest(x), m.format);
	float s = as_f32(scale);
	if (m.stochastic)
		return (struct quantised){ m.format == E2M1   ? round_fp4(x, random, s)
			                   : m.format == E4M3 ? round_fp8(x, random, s)
			                                      : round_bf8(x, random, s),
			                   scale };
	return (struct quantised){ m.format == E2M1   ? to_fp4(x, s)
		                   : m.format == E4M3 ? to_fp8(x, s)
		                                      : to_bf8(x, s),
		                   scale };
}

/* ---- memory ---- */

/* 8 random numbers from `offset` on. */
INLINE void load_random(buffer b, u32 offset, u32 random[OF_LANE]) {
	u32x4 low = __builtin_amdgcn_raw_buffer_load_b128(b, offset, 0, 0);
	u32x4 high = __builtin_amdgcn_raw_buffer_load_b128(b, offset + 16, 0, 0);
#pragma unroll
	for (u32 i = 0; i < 4; i++) {
		random[i] = low[i];
		random[4 + i] = high[i];
	}
}

/* The lane's codes, and of the first lane of a block the scale. */
INLINE void store_codes(enum format f, buffer b, u32 offset, struct codes c) {
	if (f == E2M1)
		__builtin_amdgcn_raw_buffer_store_b32(c.low, b, offset, 0, 0);
	else
		__builtin_amdgcn_raw_buffer_store_b64((u32x2){ c.low, c.high }, b, offset, 0, 0);
}

INLINE void store_scale(buffer b, u32 offset, u32 scale) {
	u32 first = LANE() % (OF_BLOCK / OF_LANE) == 0;
	__builtin_amdgcn_raw_buffer_store_b8((u8)scale, b, first ? offset : OUT_OF_RANGE, 0, 0);
}

#endif
