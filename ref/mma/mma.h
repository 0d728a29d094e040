/* What a scaled matrix instruction computes: accumulation profiles and the
 * lane/register layouts of v_mfma_scale_f32_{16x16x128,32x32x64}_f8f6f4.
 *
 * Everything is bit patterns; no host floating point decides a result unless
 * proved exact where it stands. No state, no allocation.
 *
 * Sources: [ISA] AMD CDNA4 manual, chapter 7 (matrix arithmetic) and the
 * V_MFMA_SCALE entries of the VOP3P chapter.
 */
#ifndef MX_MMA_H
#define MX_MMA_H

#include "../num/num.h"

typedef enum { MX_MEASURED, MX_DOCUMENTED, MX_ASSUMED } mx_fidelity;

/* A profile: a row of profiles.def. */
typedef struct {
	const char *name;
	unsigned group; /* elements summed exactly before one rounding; 0: all of K */
	mx_fidelity fidelity;
	const char *source;
} mx_profile;

/* The profile called `name`, or NULL. mx_profile_at(i) lists them; NULL ends. */
const mx_profile *mx_profile_by_name(const char *name);
const mx_profile *mx_profile_at(size_t i);

/* The dot product of one output element:
 *
 *   c + sum over k < K of a[k] * 2^(sa[k/32]-127) * b[k] * 2^(sb[k/32]-127)
 *
 * K is a multiple of 32. Groups of profile->group elements are taken in order
 * of k: the group's products are summed exactly with their scales applied, the
 * accumulator is added exactly, and the sum is rounded once to f32, nearest
 * even, subnormals kept, overflow to infinity. The result is the next group's c.
 *
 * Special values, for each group's sum (products and accumulator together):
 *   any NaN element or NaN scale, 0 * infinity, or infinities of both signs
 *   give the NaN 0x7FC00000 (the payload is assumed); otherwise an infinity
 *   wins; an exact zero is -0 only if every addend is -0, else +0 (IEEE 754
 *   addition; assumed). A NaN scale makes its block NaN even where all its
 *   products are zero.
 *
 * This is the plain version, by wide fixed-point integers. */
mx_f32 mx_mma_dot(const mx_profile *p, mx_format fa, mx_format fb, unsigned K, const mx_elem *a,
                  const mx_e8m0 *sa, const mx_elem *b, const mx_e8m0 *sb, mx_f32 c);

/* The instruction shapes: D[M][N] = A[M][K] * B[K][N] + C[M][N]. */
typedef enum { MX_16X16X128, MX_32X32X64 } mx_shape;
enum { MX_LANES = 64 };

unsigned mx_shape_mn(mx_shape s); /* M = N: 16 or 32 */
unsigned mx_shape_k(mx_shape s);  /* 128 or 64 */

/* VGPRs that an operand of format f takes: 8 (FP8), 6 (FP6) or 4 (FP4). */
unsigned mx_operand_vgprs(mx_format f);

/* Where things are in the registers [ISA 7.1.5, 7.2].
 * Element j (0..31) of lane's A operand is row `*mn`, `*k` of A; B is the same
 * with columns. The scale of lane is that of row or column *mn, block *block.
 * Register r of lane's C/D is D[*row][*col]. */
void mx_layout_operand(mx_shape s, mx_format f, unsigned lane, unsigned j, unsigned *mn,
                       unsigned *k);
void mx_layout_scale(mx_shape s, unsigned lane, unsigned *mn, unsigned *block);
void mx_layout_result(mx_shape s, unsigned lane, unsigned r, unsigned *row, unsigned *col);

/* One scaled MFMA on registers. a, b: mx_operand_vgprs() registers of 64 lanes;
 * c, d: 4 (16x16x128) or 16 (32x32x64) registers, may be the same array;
 * scale_a, scale_b: the scale byte of each lane, already selected by OP_SEL.
 * EXEC does not matter [ISA table 28]. */
struct mx_mma_args {
	const mx_profile *profile;
	mx_shape shape;
	mx_format fmt_a, fmt_b;
	const uint32_t (*a)[MX_LANES], (*b)[MX_LANES], (*c)[MX_LANES];
	const uint8_t *scale_a, *scale_b;
	uint32_t (*d)[MX_LANES];
};

/* The plain version: one mx_mma_dot for each element. */
void mx_mma_scaled_plain(const struct mx_mma_args *args);

/* The same bits, faster. The emulator calls this one. */
void mx_mma_scaled(const struct mx_mma_args *args);

#endif
