/* Operands of one vector ALU instruction, between the registers and its lane function. */
#ifndef MX_VECTOR_H
#define MX_VECTOR_H

#include "../encoding/operand_types.h"
#include "../machine/wave.h"
#include "lanes.h"

/* Sources of one instruction: values for the lane function, and which bits of them
 * nobody wrote. `copy` holds those that are not a register as it stands. */
struct mx_sources {
	struct mx_lanes x;
	mx_vreg copy[3][MX_VALU_DWORDS], unwritten[3][MX_VALU_DWORDS];
	mx_vreg arranged[3][MX_VALU_DWORDS]; /* where any_unwritten: before NEG, ABS and MODE */
	uint16_t row[3];                     /* that a vector source begins at */
	bool any_unwritten;
	uint64_t mask_unwritten;
	uint64_t lanes;        /* that the result goes to: EXEC, but for DPP */
	int8_t from[MX_LANES]; /* DPP: the lane that source 0 comes from, or -1: it is 0 */
};

/* ---- vsource.c ---- */

/* Brings all sources to s->x. */
void mx_fetch(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s);
/* Source i as a copy that may be changed. */
mx_vreg *mx_source_copy(const struct mx_inst *in, struct mx_sources *s, unsigned i);

/* Moves source i's lanes and chooses its parts, as SDWA, DPP and OP_SEL ask; also of bits that
 * nobody wrote. */
void mx_arrange_source(const struct mx_inst *in, const struct mx_sources *s, unsigned i,
                       mx_vreg *v);

/* ---- relative.c ---- */

/* What to add to the number of a VGPR operand: 0 src0, 1 src1, 2 src2, 3 dst [ISA 6.6]. */
unsigned mx_gpr_index(const struct mx_wave *w, unsigned which);

/* The row of a vector ALU operand: its code's, and under VGPR indexing M0 more. which: source
 * 0 to 2, or MX_VDST. */
enum { MX_VDST = 3 };
unsigned mx_indexed_row(struct mx_wave *w, const struct mx_inst *in, unsigned code, unsigned which);

/* ---- valu.c: the lane function, and what MODE and modifiers make of its result ---- */

void mx_compute(const struct mx_inst *in, uint32_t mode, struct mx_lanes *x);

/* ---- vtaint.c: which bits of the result nobody wrote, and of the lane mask; only called where
 * any_unwritten is set ---- */

void mx_result_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                         mx_vreg *d, uint64_t *mask);

/* ---- sublane.c: SDWA and DPP ---- */

/* Byte 0..3, word 4..5 or dword 6 of a value [ISA 13.3.7]. */
uint32_t mx_sub_dword(uint32_t v, unsigned sel, bool sext);
void mx_plan_dpp(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s);
void mx_move_lanes(const struct mx_sources *s, const uint32_t *v, uint32_t *d);
void mx_select_sub_dword(const struct mx_inst *in, unsigned i, const uint32_t *v, uint32_t *d);
/* Puts results into their part of the old destination. */
void mx_place_sub_dword(const struct mx_inst *in, const uint32_t *old, uint32_t *d);

/* ---- vmodify.c: OP_SEL, NEG, ABS, OMOD, CLAMP and what MODE does to float operands ---- */

/* Whether a MODE other than the usual one changes sources or result of this opcode. */
bool mx_mode_matters(const struct mx_op *op, uint32_t mode);
/* Halves chosen by OP_SEL. */
void mx_choose_halves(const struct mx_inst *in, unsigned i, mx_vreg *v);
void mx_modify_source(const struct mx_inst *in, unsigned i, uint32_t mode, mx_vreg *v);
void mx_modify_result(const struct mx_inst *in, uint32_t mode, mx_vreg *d);
/* Puts 16-bit results into the half of the old destination that OP_SEL names. */
void mx_place_half(const struct mx_inst *in, const uint32_t *old, uint32_t *d);

#endif
