/* A wide fixed-point accumulator: sums of scaled products are exact.
 *
 * Width. The smallest product of two elements is 2^-32 (E5M2 subnormals), the
 * smallest product of scales 2^-254, together 2^-286; the smallest product of
 * two f32 is 2^-298. A product is below 2^32 * 2^254 = 2^286, one of f32 below
 * 2^256, and a sum of 2^32 products (any K) and an accumulator below 2^319.
 * Bits -298 to 318 and a sign are 618; ten limbs are 640. */
#ifndef MX_WIDE_H
#define MX_WIDE_H

#include "../mxref.h"

enum { MX_WIDE_LIMBS = 10, MX_WIDE_EXP = -298 };

/* The two's complement integer of the limbs, least first, times 2^MX_WIDE_EXP. */
struct mx_wide {
	uint64_t limb[MX_WIDE_LIMBS];
};

/* The same for products of two f64, which are multiples of 2^-2148 and below 2^2048: a sum of 2^26
 * of them is below 2^2074. Bits -2148 to 2074 and a sign are 4224, 66 limbs. */
enum { MX_WIDE_F64_LIMBS = 66, MX_WIDE_F64_EXP = -2148 };

struct mx_wide_f64 {
	uint64_t limb[MX_WIDE_F64_LIMBS];
};

/* w += v * 2^exp; exp >= MX_WIDE_EXP, and v * 2^exp is within the bound above. */
void mx_wide_add(struct mx_wide *w, __int128 v, int exp);
void mx_wide_f64_add(struct mx_wide_f64 *w, __int128 v, int exp);

bool mx_wide_is_zero(const struct mx_wide *w);

/* The value as +-sig * 2^*exp: the 64 bits of the magnitude from the leading one down, of which the
 * last is 1 if a lower one is. */
uint64_t mx_wide_number(const struct mx_wide *w, bool *negative, int *exp);
uint64_t mx_wide_f64_number(const struct mx_wide_f64 *w, bool *negative, int *exp);

/* The value rounded to the nearest f32, ties to even; zero is +0. */
mx_f32 mx_wide_round(const struct mx_wide *w);

#endif
