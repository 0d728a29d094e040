/* A step of a profile: a group of products and the accumulator become a new accumulator. */
#ifndef MX_STEP_H
#define MX_STEP_H

#include "../mxref.h"
#include "wide.h"

/* Bounds of mx_profile_check for aligned sums: the terms of a part, products of two elements and
 * two scales, are below 2^(MX_STEP_BITS + 4), so all sums fit 64 bits. */
enum { MX_STEP_BITS = 40, MX_STEP_TERMS = 128, MX_PARTS = 4 };

/* A product, or an accumulator: +-sig * 2^exp or special. `top` is the exponent by the
 * definition in mxref.h: the sum of the factors' exponents. */
struct mx_term {
	enum { MX_TERM_NUMBER, MX_TERM_INF, MX_TERM_NAN } kind;
	bool negative;
	uint64_t sig;
	int exp, top;
};

/* A factor of a product; sig below 2^24, with align > 0 below 2^16. */
struct mx_term mx_term_of_code(const struct mx_format_info *t, uint32_t code);
struct mx_term mx_term_of_scale(mx_scale_format f, uint8_t code);
struct mx_term mx_term_of_f32(mx_f32 c);

static inline bool mx_term_is_zero(struct mx_term t) {
	return t.kind == MX_TERM_NUMBER && !t.sig;
}

static inline struct mx_term mx_term_times(struct mx_term a, struct mx_term b) {
	bool nan = a.kind == MX_TERM_NAN || b.kind == MX_TERM_NAN;
	bool inf = a.kind == MX_TERM_INF || b.kind == MX_TERM_INF;
	return (struct mx_term){
		.kind = nan || (inf && (mx_term_is_zero(a) || mx_term_is_zero(b))) ? MX_TERM_NAN
		        : inf                                                      ? MX_TERM_INF
		                                                                   : MX_TERM_NUMBER,
		.negative = a.negative != b.negative,
		.sig = a.sig * b.sig,
		.exp = a.exp + b.exp,
		.top = a.top + b.top,
	};
}

/* Under a profile, which may flush subnormal elements or take their exponent otherwise: an element,
 * and the product of two. */
struct mx_term mx_term_element(const mx_profile *p, struct mx_term t);
struct mx_term mx_term_product(const mx_profile *p, struct mx_term a, struct mx_term b);

struct mx_step {
	const mx_profile *profile;
	unsigned k;                         /* products so far, of all steps */
	struct mx_wide finite;              /* align = 0: the sum of the step's products */
	struct mx_term term[MX_STEP_TERMS]; /* align > 0: the step's products */
	uint8_t part[MX_STEP_TERMS];
	unsigned terms;
	bool nan, inf[2], over[2]; /* [1]: negative; over: at or above the profile's limit */
	bool not_neg_zero;         /* an addend was not -0 */
};

/* Whether the profile has none of the fields after `limit`: the fast implementations of exact sums
 * need it. */
bool mx_profile_is_basic(const mx_profile *p);

/* Steps of one dot: begin once, then add products and end each step. */
void mx_step_begin(struct mx_step *s, const mx_profile *p);
void mx_step_add(struct mx_step *s, const struct mx_term *product);
mx_f32 mx_step_end(struct mx_step *s, mx_f32 c, bool clamp);

/* x + c, one addition with the profile's rounding or, if `nearest`, to nearest even. */
mx_f32 mx_step_sum(const mx_profile *p, mx_f32 x, mx_f32 c, bool nearest, bool clamp);

/* The product that is number i of K in the order of the profile, and C after the last step. */
unsigned mx_dot_product_at(const mx_profile *p, unsigned K, unsigned i);
mx_f32 mx_dot_add_late(const mx_profile *p, mx_f32 sum, mx_f32 c, bool clamp);

/* The steps of one dot; product(of, k) is product k of K. */
mx_f32 mx_dot_steps(const mx_profile *p, unsigned K,
                    struct mx_term (*product)(const mx_profile *, const void *of, unsigned k),
                    const void *of, mx_f32 c, bool clamp);

/* The same of f64: a, b and c are its bits, the profile neither aligns nor has `bits`. */
uint64_t mx_dot_f64(const mx_profile *p, unsigned K, const uint64_t *a, const uint64_t *b,
                    uint64_t c);

/* The elements of all codes of a format. */
struct mx_code_terms {
	struct mx_term of[256];
};
void mx_list_terms(const mx_profile *p, mx_format f, struct mx_code_terms *t);

/* The K factors of an operand with their scales, and the dot of such factors. */
void mx_dot_factors(const struct mx_code_terms *t, unsigned K, const struct mx_dot_operand *o,
                    struct mx_term *factors);
mx_f32 mx_factors_dot(const mx_profile *p, unsigned K, const struct mx_term *a,
                      const struct mx_term *b, mx_f32 c, bool clamp);

/* mx_mma_block_dot and mx_mma_dot, with clamp. */
mx_f32 mx_block_dot(const mx_profile *p, unsigned K, const struct mx_dot_operand *a,
                    const struct mx_dot_operand *b, mx_f32 c, bool clamp);
mx_f32 mx_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
              const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c, bool clamp);

#endif
