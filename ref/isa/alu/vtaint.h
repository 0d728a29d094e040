/* Unwritten bits of a vector ALU result, by two ways: lane by lane (vtaint.c), and of all lanes
 * together where they have the same unwritten bits (vtaint_together.c). Both leave the same. */
#ifndef MX_VTAINT_H
#define MX_VTAINT_H

#include "../../num/cpu.h"
#include "../uninit/sums.h"
#include "vector.h"

/* ---- vtaint.c: what both ways share ---- */

struct mx_source_shape mx_source_shape_of(const struct mx_inst *in);

/* Runs the opcode on sources before NEG, ABS and MODE. */
void mx_run_trial(const struct mx_inst *in, uint32_t mode, mx_vreg v[3][2], struct mx_lanes *x);

/* The unwritten bits of the result if nothing is known of how they depend on those of the sources:
 * all; in packed results, all of elements with unwritten bits in their own sources. */
uint64_t mx_all_unwritten(const struct mx_op *op, const struct mx_unwritten *u);

/* The bits of source i that a sum adds up, in element e of a packed source; *shift: from which bit
 * on they are. */
uint64_t mx_element_bits(const struct mx_op *op, unsigned i, unsigned e, unsigned *shift);

/* Whether a result is a half of a register. */
static inline bool mx_is_half(const struct mx_type_info *t) {
	return t->bits == 16 && t->elements == 1;
}

/* ---- vtaint_together.c ---- */

/* Of lanes with unwritten bits, in *d and *mask. False, and does nothing, if they differ in these
 * bits. *mask is set only by opcodes that have a lane mask. */
typedef bool mx_unwritten_finder(const struct mx_inst *in, uint32_t mode,
                                 const struct mx_sources *s, mx_vreg *d, uint64_t *mask);
extern mx_unwritten_finder MX_STEPS_OF(mx_unwritten_together);

#endif
