/* What kernels of every architecture share: types, address spaces, conversions. For device code
 * only. */
#ifndef AMDGCN_H
#define AMDGCN_H

#include <stdbool.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef float f32x4 __attribute__((ext_vector_type(4)));

#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))

/* Memory that is constant while the kernel runs: uniform loads from it are scalar. */
#define CONSTANT __attribute__((address_space(4)))

/* Static LDS. LDS is never initialised. */
#define SHARED static LDS __attribute__((loader_uninitialized, aligned(16)))

#define INLINE static inline __attribute__((always_inline))

/* The compiler keeps the value in a VGPR, instead of computing it again where it is used. */
#define KEEP_V(x) asm("" : "+v"(x))

/* To nearest, ties to even, for finite values. A NaN keeps its upper bits and becomes quiet. */
INLINE u16 bf16_rne(float x) {
	u32 u = __builtin_bit_cast(u32, x);
	u32 rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
	return (u & 0x7fffffff) > 0x7f800000 ? (u >> 16 | 0x40) : rounded;
}

#endif
