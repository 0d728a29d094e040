/* One output element: a row of A, a column of B, and the chain of instructions over K. */
#ifndef MX_EXPLAIN_H
#define MX_EXPLAIN_H

#include "codes.h"

struct mx_element {
	struct mx_dot_operand a, b; /* their blocks are equal */
	unsigned K, mma_k; /* multiples of the block; the instructions take mma_k each, in order */
	mx_f32 c;
};

/* The accumulator after the first k elements, by mx_mma_block_dot. k: a multiple of the block,
 * at most K. Within an instruction it is the result of an instruction with a K that ends there. */
mx_f32 mx_element_after(const struct mx_element *e, const mx_profile *p, unsigned k);

/* Prints every block (products, exact sum, scale), each profile's accumulator after it, and the k
 * at which profiles diverge. n profiles, at most MX_ELEMENT_PROFILES. Returns 0; or -1 if the exact
 * sums, rounded by the profile, differ from the result of mx_mma_block_dot: a bug, which is printed
 * too. */
enum { MX_ELEMENT_PROFILES = 128 };
int mx_element_explain(const struct mx_element *e, const mx_profile *const *profiles, size_t n);

/* The width of a column of their names. */
int mx_profile_name_width(const mx_profile *const *profiles, size_t n);

#endif
