/* Grouped GEMM: the expected output of a mixture of experts, group by group.
 *
 * Tokens are rows of one storage. Group g begins at row begin[g] and has weights B_g of n x k.
 *
 *   MX_FORWARD  C_g  = A_g B_g^T      left A [rows][k],    right B [group][n][k],    out [rows][n]
 *   MX_DGRAD    dA_g = dC_g B_g       left dC [rows][n],   right B^T [group][k][n],  out [rows][k]
 *   MX_WGRAD    dB_g = dC_g^T A_g     left dC^T [n][rows], right A^T [k][rows],      out
 *                                                                           [group][n][k]
 *
 * Operands are quantised along the summed dimension, which is their last. So wgrad sums over the
 * rows of a group; the dB_g of an empty group is 0 and must be written. Each product is
 * exact_product or exact_profile of one group (exact/exact.h).
 *
 * A storage may have more rows for a group than the group has tokens (begin[g + 1] - begin[g] >
 * rows[g], for example groups padded to 128). These padding rows are in no product; `padding` says
 * what the output may hold there. Rows before begin[0] belong to no group and are not checked.
 *
 * Sizes are 64 bits wide; a larger size fails. Functions return 0, or -1 with err->text. No state;
 * safe from any number of threads. */
#ifndef MX_GROUPED_H
#define MX_GROUPED_H

#include "../cases/case.h"
#include "exact/exact.h"

typedef enum { MX_FORWARD, MX_DGRAD, MX_WGRAD } mx_grouped_kind;

/* The scale of a wgrad operand's element in row r of the storage. BY_PLACE: that of block r / 32;
 * each group must begin at a multiple of 32. BY_GROUP, for groups that were quantised one by one:
 * that of block (r - begin[g]) / 32, after the ceil(rows / 32) blocks of each earlier group. The
 * last block of a group is short unless its rows are a multiple of 32. */
typedef enum { MX_BLOCKS_BY_PLACE, MX_BLOCKS_BY_GROUP } mx_grouped_blocks;

struct mx_grouped {
	mx_grouped_kind kind;
	size_t groups;
	const uint64_t
		*begin; /* groups + 1, ascending; the last is the number of rows of the storage */
	const uint64_t *rows; /* tokens of each group; NULL: all rows up to the next group */
	size_t n, k;          /* of B_g, for each kind */
	struct exact_operand left, right;
	size_t right_stride, right_scale_stride; /* bytes from group to group; not for wgrad */
	mx_grouped_blocks blocks;                /* for wgrad */
	mx_grouped_padding padding; /* for forward and dgrad. MX_PADDING_NONE: the kernel's output
	                               has the tokens of all groups, one after the other */
	bool f16;                   /* an output of 2 bytes is f16, not bf16 */
	const char *profile;        /* NULL: the exact product, or the member's */
	const struct exact_member *member; /* NULL: none */
	unsigned mma_k, k_tile, threads;   /* as in exact_profile and exact_gemm */
};

/* Rows and columns of the output, with all groups one below another: rows of the storage, or groups
 * * n. Fails if groups overlap or have more tokens than rows, and on sizes over 2^63 bytes. */
int mx_grouped_size(const struct mx_grouped *g, size_t *rows, size_t *cols, struct mx_error *err);

/* Whether the operands of each group are in the exact regime; why: reason for the first that is
 * not. */
int mx_grouped_regime(const struct mx_grouped *g, bool *holds, char *why, size_t why_size,
                      struct mx_error *err);

/* The expected output, f32 patterns, row-major without gaps; padding rows are 0. */
int mx_grouped_expect(const struct mx_grouped *g, uint32_t *out, struct mx_error *err);

/* The products in f64, in the same layout, for SNR figures (exact_dgemm_nt). */
int mx_grouped_f64(const struct mx_grouped *g, double *out, struct mx_error *err);

/* The row of the kernel's output at which a group begins; not for wgrad. */
size_t mx_grouped_first(const struct mx_grouped *g, size_t group);

enum { MX_GROUPED_TEXT = 512 };
struct mx_grouped_verdict {
	size_t checked, wrong;   /* elements, without padding that is free */
	size_t wrong_groups;     /* groups with a wrong element */
	bool padding, unwritten; /* the first wrong element is in a padding row; was not written */
	size_t group, row, col;  /* of the first wrong element; row within the group */
	uint32_t got, want;
	uint8_t *differs;           /* rows x cols flags, owned by the caller; NULL: none wanted */
	uint32_t *wants;            /* the right codes of them */
	char text[MX_GROUPED_TEXT]; /* one line that describes it; empty if nothing is wrong */
};

/* Compares a kernel's output with `expected`. got: f32 (bytes 4), bf16 or f16 (bytes 2) in the same
 * layout, but with MX_PADDING_NONE without the rows of padding; for 2 bytes the expected values are
 * rounded. The output was filled with 0xFF (MX_POISON)
 * before the launch. unwritten: for each element, the number of bytes that the launch never wrote.
 * Any NaN equals any NaN; otherwise every bit counts. A result must be written and padding that is
 * kept must not be, whatever their values. */
int mx_grouped_judge(const struct mx_grouped *g, const uint32_t *expected, const void *got,
                     const uint8_t *unwritten, unsigned bytes, struct mx_grouped_verdict *v,
                     struct mx_error *err);

#endif
