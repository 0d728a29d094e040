/* Operands of one vector ALU instruction, as its lane function takes them. */
#ifndef MX_VECTOR_H
#define MX_VECTOR_H

#include "../encoding/gfx950.h"
#include "../encoding/operand_types.h"
#include "../machine/registers.h"
#include "lanes.h"

/* Sources of one instruction: values for the lane function, and their unwritten bits. `copy` holds
 * sources that are not an unmodified register. */
struct mx_sources {
	struct mx_lanes x;
	_Alignas(64) mx_vreg copy[3][MX_VALU_DWORDS], unwritten[3][MX_VALU_DWORDS];
	mx_vreg arranged[3][MX_VALU_DWORDS]; /* if any_unwritten: before NEG, ABS and MODE */
	uint16_t row[3];                     /* first row of a vector source */
	bool any_unwritten;
	uint64_t mask_unwritten;
	uint64_t lanes;        /* that are written: EXEC, reduced by DPP */
	int8_t from[MX_LANES]; /* DPP: the source lane of source 0; -1: source 0 is 0 */
};

/* ---- vsource.c ---- */

/* Fetches all sources into s->x. */
void mx_fetch(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s);
/* The value of source i, a register or constant of the scalar file. */
uint64_t mx_scalar_source(struct mx_wave *w, const struct mx_inst *in, unsigned i);
/* What lane functions take beside sources and masks. */
static inline void mx_fetch_fields(const struct mx_wave *w, const struct mx_inst *in,
                                   struct mx_lanes *x) {
	x->mode = w->mode;
	x->truth = in->neg | in->abs << 3 | in->omod << 6;
	x->op_sel = in->op_sel;
	x->op_sel_hi = in->op_sel_hi;
	x->neg = in->neg;
	x->abs = in->abs;
	x->clamp = in->clamp;
}
static inline void mx_broadcast(mx_vreg d, uint32_t value) {
	for (unsigned l = 0; l < MX_LANES; l++)
		d[l] = value;
}
/* A copy of source i that may be modified. */
mx_vreg *mx_source_copy(const struct mx_inst *in, struct mx_sources *s, unsigned i);

/* Applies DPP, SDWA and OP_SEL to source i, or to its unwritten bits. */
void mx_arrange_source(const struct mx_inst *in, const struct mx_sources *s, unsigned i,
                       mx_vreg *v);

/* ---- relative.c ---- */

/* The index to add to the number of a VGPR operand: 0 src0, 1 src1, 2 src2, 3 dst [ISA 6.6]. */
unsigned mx_gpr_index(const struct mx_wave *w, unsigned which);

/* The row of a vector ALU operand, including the index of M0 under VGPR indexing. which: source 0
 * to 2, or MX_VDST. */
enum { MX_VDST = 3 };
__attribute__((cold)) unsigned mx_add_index(struct mx_wave *w, const struct mx_inst *in,
                                            unsigned row, unsigned which);
static inline unsigned mx_indexed_row(struct mx_wave *w, const struct mx_inst *in, unsigned code,
                                      unsigned which) {
	unsigned row = mx_row(code);
	return w->mode & MX_MODE_GPR_IDX_EN ? mx_add_index(w, in, row, which) : row;
}

/* ---- valu.c: the lane function, with MODE and modifiers applied to its result ---- */

void mx_compute(const struct mx_inst *in, uint32_t mode, struct mx_lanes *x);

/* ---- valu_simple.c: the shorter way of simple instructions with written sources, with the results
 * of the other. False, and nothing is done, if this is none. ---- */

typedef bool mx_simple_way(struct mx_wave *w, const struct mx_inst *in);
extern mx_simple_way MX_STEPS_OF(mx_exec_simple);

/* In a lane mask that an instruction writes, inactive lanes get 0. */
static inline void mx_write_result_mask(struct mx_wave *w, unsigned code, uint64_t mask,
                                        uint64_t unwritten) {
	uint64_t exec = mx_exec(w);
	mx_write_lane_mask(w, code, mask & exec, unwritten & exec);
}

/* ---- vtaint.c: unwritten bits of the result and of the lane mask; only called if any_unwritten is
 * set ---- */

void mx_result_unwritten(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s,
                         mx_vreg *d, uint64_t *mask);

/* ---- sublane.c: SDWA and DPP ---- */

/* Byte 0..3, word 4..5 or dword 6 of a value [ISA 13.3.7]. */
uint32_t mx_sub_dword(uint32_t v, unsigned sel, bool sext);
void mx_plan_dpp(struct mx_wave *w, const struct mx_inst *in, struct mx_sources *s);
void mx_move_lanes(const struct mx_sources *s, const uint32_t *v, uint32_t *d);
void mx_select_sub_dword(const struct mx_inst *in, unsigned i, const uint32_t *v, uint32_t *d);
/* Inserts results into their part of the old destination. */
void mx_place_sub_dword(const struct mx_inst *in, const uint32_t *old, uint32_t *d);

/* ---- vmodify.c: OP_SEL, NEG, ABS, OMOD, CLAMP, and the effect of MODE on float operands ---- */

/* Whether the type has the fields of MODE of f64, which f16 shares; else those of f32. bf16 has
 * f32's (assumed; the manual names only f32, f64 and f16). */
static inline bool mx_mode_of_f64(mx_operand_type t) {
	return t == MX_TYPE_F64 || t == MX_TYPE_F16 || t == MX_TYPE_PF16;
}
/* Whether this MODE changes sources or result of the opcode. */
bool mx_has_float_operands(const struct mx_op *op);
static inline bool mx_mode_is_usual(uint32_t mode) {
	enum { KEEP_ALL = 0xf0, ROUND_EVEN = 0 };
	return (mode & 0xff) == (KEEP_ALL | ROUND_EVEN);
}
static inline bool mx_mode_matters(const struct mx_op *op, uint32_t mode) {
	bool usual = mx_mode_is_usual(mode) && !(op->flags & MX_FLUSH);
	return !usual && mx_has_float_operands(op);
}
/* Applies OP_SEL to source i. */
void mx_choose_halves(const struct mx_inst *in, unsigned i, mx_vreg *v);
void mx_modify_source(const struct mx_inst *in, unsigned i, uint32_t mode, mx_vreg *v);
void mx_modify_result(const struct mx_inst *in, uint32_t mode, mx_vreg *d);
/* Inserts 16-bit results into the half of the old destination that OP_SEL selects. */
void mx_place_half(const struct mx_inst *in, const uint32_t *old, uint32_t *d);

#endif
