/* Grouped GEMM: what a kernel of a mixture of experts must give, group by group.
 *
 * Tokens are rows of one storage, group g's from row begin[g] on; it has weights B_g of n x k.
 *
 *   MX_FORWARD  C_g  = A_g B_g^T      left A [rows][k],    right B [group][n][k],    out [rows][n]
 *   MX_DGRAD    dA_g = dC_g B_g       left dC [rows][n],   right B^T [group][k][n],  out [rows][k]
 *   MX_WGRAD    dB_g = dC_g^T A_g     left dC^T [n][rows], right A^T [k][rows],      out
 * [group][n][k]
 *
 * Operands are quantised along what the product sums over, which is their last dimension: so
 * wgrad sums over a group's rows, and an empty group's dB_g is 0, and is written. Every product
 * is exact_product or exact_profile of that group alone (exact/exact.h).
 *
 * A storage may have more rows for a group than the group has tokens (begin[g + 1] - begin[g] >
 * rows[g], groups padded to 128, say). Such rows are in no product. What a kernel may leave in
 * the output's is a parameter. Rows before begin[0] are nobody's, and are not looked at.
 *
 * Sizes are 64 bits wide; one that is not fails. Functions return 0, or -1 with err->text.
 * No state; safe from any number of threads.
 */
#ifndef MX_GROUPED_H
#define MX_GROUPED_H

#include "../cases/case.h"
#include "exact/exact.h"

typedef enum { MX_FORWARD, MX_DGRAD, MX_WGRAD } mx_grouped_kind;

/* Which scale a wgrad operand's element in row r of the storage has: that of block r / 32, for
 * which every group must begin at a multiple of 32; or, the groups having been quantised one by
 * one, of block (r - begin[g]) / 32 behind the ceil(rows / 32) blocks of each group before.
 * Either way a group's last block is short where its rows are no multiple of 32. */
typedef enum { MX_BLOCKS_BY_PLACE, MX_BLOCKS_BY_GROUP } mx_grouped_blocks;

struct mx_grouped {
	mx_grouped_kind kind;
	size_t groups;
	const uint64_t *begin; /* groups + 1 of them, ascending; the last is the storage's rows */
	const uint64_t *rows;  /* tokens of each group; NULL: all rows up to the next group's */
	size_t n, k;           /* of B_g, whatever the kind */
	struct exact_operand left, right;
	size_t right_stride, right_scale_stride; /* bytes from group to group; not of wgrad */
	mx_grouped_blocks blocks;                /* of wgrad */
	mx_grouped_padding padding;              /* of forward and dgrad */
	const char *profile;                     /* NULL: the exact product */
	unsigned mma_k, k_tile, threads;         /* of the profile; as exact_gemm has them */
};

/* The output's rows and columns, all groups one under another: storage rows, or groups * n.
 * Fails on groups that overlap or have more tokens than rows, and on sizes over 2^63 bytes. */
int mx_grouped_size(const struct mx_grouped *g, size_t *rows, size_t *cols, struct mx_error *err);

/* Whether each group's operands are in the exact regime; why: of the first that is not. */
int mx_grouped_regime(const struct mx_grouped *g, bool *holds, char *why, size_t why_size,
                      struct mx_error *err);

/* The output, f32 patterns, row-major without gaps; padding rows are 0. */
int mx_grouped_expect(const struct mx_grouped *g, uint32_t *out, struct mx_error *err);

enum { MX_GROUPED_TEXT = 512 };
struct mx_grouped_verdict {
	size_t checked, wrong;   /* elements; padding that is free is not checked */
	size_t wrong_groups;     /* with a wrong element */
	bool padding, unwritten; /* the first wrong one is in a padding row; was not written */
	size_t group, row, col;  /* of the first; row within the group */
	uint32_t got, want;
	char text[MX_GROUPED_TEXT]; /* one line that says so; empty where nothing is wrong */
};

/* Holds what a kernel left against `expected`. got: like it, f32 (bytes 4) or bf16 (2), which
 * the expected values are rounded to; it was filled with 0xFF (MX_POISON) before the launch.
 * unwritten: of each element, how many of its bytes the launch never wrote. NaN is NaN; otherwise
 * every bit counts. A result must be written, and padding that is kept must not be: then its value
 * does not matter. */
int mx_grouped_judge(const struct mx_grouped *g, const uint32_t *expected, const void *got,
                     const uint8_t *unwritten, unsigned bytes, struct mx_grouped_verdict *v,
                     struct mx_error *err);

#endif
