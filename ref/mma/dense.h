/* Functions of both the dense and the sparse matrix instructions. */
#ifndef MX_DENSE_H
#define MX_DENSE_H

#include "../mxref.h"

/* Item `item` of `bits` bits in a lane's registers. */
uint64_t mx_get_item(const uint32_t (*regs)[MX_LANES], unsigned bits, unsigned lane, unsigned item);

/* MX_OK if an instruction with A of this type can have the profile; MX_BAD_PROFILE. Products of f32
 * and f64 are too wide to be aligned, and results of f64 have all bits. */
mx_status mx_check_profile_for(mx_type a, const mx_profile *p);

static inline unsigned mx_type_bits(mx_type t) {
	switch (t) {
	case MX_T_F64: return 64;
	case MX_T_F32:
	case MX_T_I32: return 32;
	case MX_T_F16:
	case MX_T_BF16: return 16;
	case MX_T_FP4:
	case MX_T_I4:
	case MX_T_U4: return 4;
	case MX_T_FP8:
	case MX_T_BF8:
	case MX_T_I8:
	case MX_T_U8:
	case MX_T_F8F6F4: break;
	}
	return 8;
}

/* The format of a type of floats up to 32 bits. */
const struct mx_format_info *mx_type_info(mx_type t);

/* A lane holds groups of `height` = H consecutive rows of the result: 4, or 1 for f64. All lanes
 * together hold MI groups of each of BI blocks at a time:
 *
 *   D[b][i][j] is item i % H + H (i / (H MI) + G (b / BI)) of lane
 *                 j + M (i / H % MI + MI (b % BI)),  G = M / (H MI)
 */
static inline void mx_place_dense_result(unsigned m, unsigned height, unsigned lane, unsigned item,
                                         unsigned *block, unsigned *row, unsigned *col) {
	unsigned tile = m * m / height;
	unsigned blocks_in_item = tile < MX_LANES ? MX_LANES / tile : 1;
	unsigned groups_in_item = MX_LANES / blocks_in_item / m;
	unsigned items_of_block = m / (height * groups_in_item);
	unsigned group = item / height % items_of_block, lane_row = lane / m;
	*col = lane % m;
	*row = height * (groups_in_item * group + lane_row % groups_in_item) + item % height;
	*block = item / height / items_of_block * blocks_in_item + lane_row / groups_in_item;
}

/* A WMMA has eight consecutive rows in each half of the wave. */
static inline void mx_place_wmma_result(unsigned lane, unsigned item, unsigned *row,
                                        unsigned *col) {
	*row = 16 * (item / 8) + 8 * (lane / 16) + item % 8;
	*col = lane % 16;
}

/* A sparse instruction's stored items of A as an operand of a dense one, with K / 2 products. */
struct mx_dense mx_sparse_packed(const struct mx_sparse *op);

/* Items of A in a lane; those of B are twice as many. */
unsigned mx_sparse_items(const struct mx_sparse *op);

/* The position of an item of A among the stored items of its row, and the k of an item of B. */
unsigned mx_sparse_position(const struct mx_sparse *op, unsigned lane, unsigned item);
unsigned mx_sparse_k(const struct mx_sparse *op, unsigned lane, unsigned item);

/* Calls f with the default floating-point environment of the thread. */
void mx_in_default_environment(void (*f)(const void *), const void *args);

/* c plus the products of op->k pairs, by the types of args->op and the profile. */
uint64_t mx_dense_dot(const struct mx_dense_args *args, const uint64_t *a, const uint64_t *b,
                      uint64_t c);

/* The elements of n codes of a type that profiles add, as factors. */
struct mx_term;
void mx_dense_factors(const mx_profile *p, mx_type t, unsigned n, const uint64_t *codes,
                      struct mx_term *factors);

/* Bits of the fraction of 16-bit floats. */
enum { MX_F16_MAN = 10, MX_BF16_MAN = 7 };

enum { MX_DENSE_RESULTS = 32, MX_PRODUCTS = 64 }; /* most items of a result, most products */

/* The products of a dense instruction, or of the stored items of a sparse one. */
struct mx_products {
	const struct mx_dense *op; /* its k counts stored items */
	const mx_profile *profile;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	uint32_t (*d)[MX_LANES];
	bool clamp;
	unsigned lanes;        /* of the wave: 64, or 32 for a WMMA, which has 16 columns */
	unsigned run_a, run_b; /* items of a lane that are consecutive in k */
	/* Sparse: k of each product of a row. NULL: in order. */
	const uint8_t (*k_of_b)[MX_PRODUCTS];
};

/* Computes D except for the lanes that again[item] gets, which the plain version must compute.
 * False, and nothing is done, if it does not apply. */
bool mx_mma_by_doubles(const struct mx_products *g, uint64_t again[MX_DENSE_RESULTS]);
/* The same for profiles that align products. */
bool mx_products_by_aligned_doubles(const struct mx_products *g, uint64_t again[MX_DENSE_RESULTS]);

#endif
