/* Types, inputs and operations of generated programs. Operations are defined for all operands and
 * give the same bits on both sides. */
#ifndef ARITH_H
#define ARITH_H

#include "platform.h"

typedef _Float16 f16;
typedef __bf16 bf16;
typedef float f32;
typedef double f64;

#define INTEGERS(X, ...)                                                                           \
	X(i8, u8, i16, 8, ##__VA_ARGS__)                                                           \
	X(u8, u8, u16, 8, ##__VA_ARGS__)                                                           \
	X(i16, u16, i32, 16, ##__VA_ARGS__)                                                        \
	X(u16, u16, u32, 16, ##__VA_ARGS__)                                                        \
	X(i32, u32, i64, 32, ##__VA_ARGS__)                                                        \
	X(u32, u32, u64, 32, ##__VA_ARGS__)                                                        \
	X(i64, u64, __int128, 64, ##__VA_ARGS__)                                                   \
	X(u64, u64, unsigned __int128, 64, ##__VA_ARGS__)
/* type, its bits as an integer, exponent bits, mantissa bits */
#define FLOATS(X)                                                                                  \
	X(f16, u16, 5, 10)                                                                         \
	X(bf16, u16, 8, 7)                                                                         \
	X(f32, u32, 8, 23)                                                                         \
	X(f64, u64, 11, 52)

#define VECTORS(T, ...)                                                                            \
	typedef T T##x2 __attribute__((ext_vector_type(2)));                                       \
	typedef T T##x4 __attribute__((ext_vector_type(4)));                                       \
	typedef T T##x8 __attribute__((ext_vector_type(8)));
INTEGERS(VECTORS)
FLOATS(VECTORS)

/* ---- inputs: a function of the work-item and of k ---- */

static u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Zero, small and large numbers, the limits, and any bits. */
#define INPUT(T, U, W, bits)                                                                       \
	static T in_##T(const struct place *p, u32 k) {                                            \
		u64 r = mix((u64)k << 32 | p->group << 16 | p->me), small = r >> 60;               \
		switch (r >> 8 & 7) {                                                              \
		case 0: return (T)small;                                                           \
		case 1: return (T)-small;                                                          \
		case 2: return (T)((u64)1 << (bits - 1)) + (T)(small & 1);                         \
		case 3: return (T)(((u64)1 << (bits - 1)) - 1 - (small & 1));                      \
		default: return (T)mix(r);                                                         \
		}                                                                                  \
	}
INTEGERS(INPUT)
#undef INPUT

/* Specials, integers, subnormals, numbers near 1, and any bits, but no signaling NaN of bf16:
 * clang 22 makes an f32 of it by a shift, and takes the result for a quiet NaN. */
#define INPUT(T, U, exp, man)                                                                      \
	static T in_##T(const struct place *p, u32 k) {                                            \
		u64 r = mix((u64)k << 32 | p->group << 16 | p->me);                                \
		U sign = (U)(r & 1) << (exp + man), any = (U)mix(r), bits = any;                   \
		U fraction = any & (((U)1 << man) - 1), top = ((U)1 << exp) - 1;                   \
		switch (r >> 8 & 7) {                                                              \
		case 0:                                                                            \
			bits = sign | ((r >> 12 & 1) ? top << man : 0) | ((r >> 13 & 7) == 7);     \
			break;                                                                     \
		case 1: return (T)(i16)((i16)(r >> 16 & 255) - 128);                               \
		case 2: bits = sign | fraction; break;                                             \
		case 3: break;                                                                     \
		default: bits = sign | (U)((top >> 1) - 4 + (r >> 16 & 7)) << man | fraction;      \
		}                                                                                  \
		bool nan = man == 7 && (bits >> man & top) == top && (U)(bits << (exp + 1));       \
		return __builtin_bit_cast(T, (U)(bits | (U)nan << (man - 1)));                     \
	}
FLOATS(INPUT)

/* ---- results: all NaNs are the same ---- */

#define BITS(T, ...)                                                                               \
	static u64 bits_##T(T x) {                                                                 \
		return (u64)x;                                                                     \
	}
INTEGERS(BITS)
#undef BITS

#define BITS(T, U, exp, man)                                                                       \
	static T canon_##T(T x) {                                                                  \
		U nan = (((U)1 << (exp + 1)) - 1) << (man - 1);                                    \
		return x == x ? x : __builtin_bit_cast(T, nan);                                    \
	}                                                                                          \
	static u64 bits_##T(T x) {                                                                 \
		return __builtin_bit_cast(U, canon_##T(x));                                        \
	}
FLOATS(BITS)

/* ---- integers ---- */

#define ARITHMETIC(T, U, W, bits)                                                                  \
	static inline bool divides_##T(T a, T b) {                                                 \
		return b != 0 && !((T)-1 < (T)0 && b == (T)-1 && a == (T)((u64)1 << (bits - 1)));  \
	}                                                                                          \
	static inline T div_##T(T a, T b) {                                                        \
		return divides_##T(a, b) ? (T)(a / b) : a;                                         \
	}                                                                                          \
	static inline T mod_##T(T a, T b) {                                                        \
		return divides_##T(a, b) ? (T)(a % b) : b;                                         \
	}                                                                                          \
	static inline T shl_##T(T a, T b) {                                                        \
		return (T)(a << (b & (bits - 1)));                                                 \
	}                                                                                          \
	static inline T shr_##T(T a, T b) {                                                        \
		return (T)(a >> (b & (bits - 1)));                                                 \
	}                                                                                          \
	static inline T mulhi_##T(T a, T b) {                                                      \
		return (T)(((W)a * (W)b) >> bits);                                                 \
	}                                                                                          \
	static inline T clz_##T(T a, T b) {                                                        \
		return (T)__builtin_clzg((U)a, (int)(b & 127));                                    \
	}                                                                                          \
	static inline T ctz_##T(T a, T b) {                                                        \
		return (T)__builtin_ctzg((U)a, (int)(b & 127));                                    \
	}                                                                                          \
	static inline T bfe_##T(T a, T b) {                                                        \
		return (T)(((U)a >> (b & 7)) & (((U)1 << (b >> 3 & 7)) - 1));                      \
	}                                                                                          \
	static inline T bfi_##T(T a, T b, T c) {                                                   \
		return (T)((a & b) | (~a & c));                                                    \
	}                                                                                          \
	static inline T med3_##T(T a, T b, T c) {                                                  \
		T low = a < b ? a : b, high = a < b ? b : a;                                       \
		T most = high < c ? high : c;                                                      \
		return low < most ? most : low;                                                    \
	}
INTEGERS(ARITHMETIC)

/* Conversion of numbers in range; all others give 0. */
#define TO_INTEGER(T, U, W, bits, F)                                                               \
	static inline T T##_of_##F(F x) {                                                          \
		f64 limit = (f64)((u64)1 << (bits - 1)), from = (T)-1 < (T)0 ? -limit : 0;         \
		f64 to = (T)-1 < (T)0 ? limit : 2 * limit;                                         \
		return (f64)x >= from && (f64)x < to ? (T)x : (T)0;                                \
	}
INTEGERS(TO_INTEGER, f16)
INTEGERS(TO_INTEGER, bf16)
INTEGERS(TO_INTEGER, f32)
INTEGERS(TO_INTEGER, f64)

/* ---- code that differs between the sides ---- */

/* A product of two bf16, whose f32 is hidden: see OPAQUE. */
#define times_bf16(a, b) (bf16) OPAQUE((f32)(a) * (f32)(b))

/* Reads of other lanes of the wave of WAVE lanes, all active: from an array in LDS with a word for
 * each work-item, the word of lane `lane`, that of lane - n in the row of 16, and the mask of odd
 * words. */
#ifdef __AMDGCN__
#define OF_ANY(array, lane) (u32) __builtin_amdgcn_ds_bpermute((lane)*4, (array)[self->place.me])
#define OF_ONE(array, lane) (u32) __builtin_amdgcn_readlane((array)[self->place.me], lane)
#define ROTATED(array, n)                                                                          \
	__builtin_amdgcn_update_dpp(0, (array)[self->place.me], 0x120 + n, 15, 15, 1)
#if WAVE == 32
#define ODD(array) (u64) __builtin_amdgcn_ballot_w32((array)[self->place.me] & 1)
#else
#define ODD(array) __builtin_amdgcn_ballot_w64((array)[self->place.me] & 1)
#endif
/* Hides a value from clang 22, which miscompiles these for AMDGPU:
 * - a product rounded to f16 or bf16 by v_fma_mixlo with an addend of +0, which makes +0 of -0;
 * - v_max3 and v_min3 of a maximumnum of signaling NaNs, which in IEEE mode they do not pass over;
 * - the half of a 64-bit element of a vector that is ored with -1, left as it was;
 * - a division of 32 bits in 24 where the dividend is a negative number, but unsigned;
 * - a store to an element of two by a uniform index: at -O1 the comparison of the index with 0 takes
 *   the SCC of that with 1. */
#ifndef OPAQUE
#define OPAQUE(x)                                                                                  \
	({                                                                                         \
		__auto_type value = (x);                                                           \
		asm("" : "+v"(value));                                                             \
		value;                                                                             \
	})
#endif
#define fma_f16(a, b, c)   __builtin_elementwise_fma(a, b, c)
#define fma_f16x2(a, b, c) __builtin_elementwise_fma(a, b, c)
#define fma_f16x4(a, b, c) __builtin_elementwise_fma(a, b, c)
#define fma_f16x8(a, b, c) __builtin_elementwise_fma(a, b, c)
#define udot4(a, b, c)     __builtin_amdgcn_udot4(a, b, c, false)
#ifdef __gfx1250__
/* With all lanes: clang 22 moves reads of lanes into branches of some lanes, where only these use
 * what is read. */
#define HERE(x)                                                                                    \
	({                                                                                         \
		u32 read = (u32)(x);                                                               \
		asm volatile("" : "+v"(read));                                                     \
		read;                                                                              \
	})
#define LANE_XOR(array, n)  HERE(__builtin_amdgcn_permlane_xor((array)[self->place.me], n, 32))
#define LANE_OF_8(array, n) HERE(__builtin_amdgcn_permlane_bcast((array)[self->place.me], n, 8))
#define LANE_BY(array, by)                                                                         \
	HERE(__builtin_amdgcn_permlane16(0, (array)[self->place.me], (u32)(by),                    \
	                                 (u32)((by) >> 32), true, true))
#define sat4(a) (u32) __builtin_amdgcn_sat_pk4_i4_i8(a)
#define look_up(a, b, n)                                                                           \
	__builtin_bit_cast(u64,                                                                    \
	                   __builtin_amdgcn_perm_pk16_b4_u4(b, a, __builtin_bit_cast(u32x2, n)))
#define sdot4(a, b, c) __builtin_amdgcn_sudot4(true, a, true, b, c, false)
#else
#define sdot4(a, b, c) __builtin_amdgcn_sdot4(a, b, c, false)
#endif
#define perm(a, b, c)   __builtin_amdgcn_perm(a, b, (c)&0x07070707)
#define sad_u8(a, b, c) __builtin_amdgcn_sad_u8(a, b, c)
#else
#define OF_ANY(array, lane) (array)[(self->place.me & ~(WAVE - 1)) + ((lane) & (WAVE - 1))]
#define OF_ONE(array, lane) OF_ANY(array, lane)
#define OPAQUE(x)           (x)
#define ROTATED(array, n)   (array)[(self->place.me & ~15) + ((self->place.me - n) & 15)]
#define ODD(array)          odd((array) + (self->place.me & ~(WAVE - 1)))
static u64 odd(const u32 *wave) {
	u64 mask = 0;
	for (u32 i = 0; i < WAVE; i++)
		mask |= (u64)(wave[i] & 1) << i;
	return mask;
}

/* Clang would round to f32 in between; 113 bits are exact for a product of two f16 plus an
 * f16. */
static f16 fma_f16(f16 a, f16 b, f16 c) {
	return (f16)((__float128)a * (__float128)b + (__float128)c);
}
#define FMA_F16(n)                                                                                 \
	static f16x##n fma_f16x##n(f16x##n a, f16x##n b, f16x##n c) {                              \
		for (int i = 0; i < n; i++)                                                        \
			c[i] = fma_f16(a[i], b[i], c[i]);                                          \
		return c;                                                                          \
	}
FMA_F16(2)
FMA_F16(4)
FMA_F16(8)

static u32 byte_of(u64 x, u32 i) {
	return x >> 8 * i & 255;
}
static u32 udot4(u32 a, u32 b, u32 c) {
	for (u32 i = 0; i < 4; i++)
		c += byte_of(a, i) * byte_of(b, i);
	return c;
}
static i32 sdot4(i32 a, i32 b, i32 c) {
	for (u32 i = 0; i < 4; i++)
		c += (i8)byte_of(a, i) * (i8)byte_of(b, i);
	return c;
}
static u32 perm(u32 a, u32 b, u32 c) {
	u64 bytes = (u64)a << 32 | b;
	u32 d = 0;
	for (u32 i = 0; i < 4; i++)
		d |= byte_of(bytes, c >> 8 * i & 7) << 8 * i;
	return d;
}
static u32 sad_u8(u32 a, u32 b, u32 c) {
	for (u32 i = 0; i < 4; i++)
		c += __builtin_abs((i32)byte_of(a, i) - (i32)byte_of(b, i));
	return c;
}

/* The compiler calls these, and the libraries of Debian 12 lack them. To nearest, ties to
 * even, from the f64, which holds every f32. */
bf16 __truncdfbf2(f64 x) {
	u64 bits = __builtin_bit_cast(u64, x), magnitude = bits << 1 >> 1;
	i32 e = (i32)(magnitude >> 52) - 1023 + 127;
	u64 m = (magnitude & (((u64)1 << 52) - 1)) | (u64)1 << 52;
	u32 drop = e > 0 ? 45 : e > -10 ? 46 - e : 56, sign = (u32)(bits >> 63) << 15;
	u64 kept = m >> drop, rest = m & (((u64)1 << drop) - 1), half = (u64)1 << (drop - 1);
	kept += rest > half || (rest == half && (kept & 1));
	u64 out = e > 0 ? ((u64)(e - 1) << 7) + kept : kept;
	if (x != x)
		out = 0x7fc0;
	else if (e > 254 || out > 0x7f80)
		out = 0x7f80;
	return __builtin_bit_cast(bf16, (u16)(sign | out));
}
bf16 __truncsfbf2(f32 x) {
	return __truncdfbf2(x);
}
#endif

/* ---- what gfx1250 has instructions for, in C for the others ---- */

#ifndef __gfx1250__
/* The word of lane ^ n, that of lane n of the 8 around it, and that of the lane of the row of 16
 * that four bits of `by` select. */
#define LANE                (self->place.me & (WAVE - 1))
#define LANE_XOR(array, n)  OF_ANY(array, LANE ^ (n))
#define LANE_OF_8(array, n) OF_ANY(array, (LANE & ~7) | (n))
#define LANE_BY(array, by)  OF_ANY(array, (LANE & ~15) | ((by) >> 4 * (LANE & 15) & 15))

/* Four signed bytes as numbers of 4 bits. */
static u32 sat4(u32 a) {
	u32 all = 0;
	for (u32 i = 0; i < 4; i++) {
		i8 v = (i8)(a >> 8 * i);
		all |= (u32)((v < -8 ? -8 : v > 7 ? 7 : v) & 15) << 4 * i;
	}
	return all;
}

/* Of the 16 numbers of 4 bits in a and b those that n selects. */
static u64 look_up(u32 a, u32 b, u64 n) {
	u64 table = a | (u64)b << 32, all = 0;
	for (u32 i = 0; i < 64; i += 4)
		all |= (table >> 4 * (n >> i & 15) & 15) << i;
	return all;
}
#endif

/* ---- atomics whose results do not depend on their order ---- */

#define DEVICE                  __MEMORY_SCOPE_DEVICE
#define WORKGROUP               __MEMORY_SCOPE_WRKGRP
#define ATOMIC(op, p, v, scope) __scoped_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, scope)

/* *p += 3 * v, by compare and swap. */
#define ATOMIC_CAS_ADD(T, p, v, scope)                                                             \
	do {                                                                                       \
		T seen = __scoped_atomic_load_n(p, __ATOMIC_RELAXED, scope), more = (v);           \
		while (!__scoped_atomic_compare_exchange_n(p, &seen, (T)(seen + 3 * more), false,  \
		                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED,     \
		                                           scope))                                 \
			;                                                                          \
	} while (0)

#endif
