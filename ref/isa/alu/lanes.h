/* The lane function of a vector ALU opcode: a pure function on all 64 lanes. */
#ifndef MX_LANES_H
#define MX_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../mxref.h"
#include "../../num/cpu.h"
#include "../encoding/assumptions.h"

enum { MX_VALU_DWORDS = 4 }; /* of the widest operand */

/* s[i][h][lane]: dword h of source i, with its modifiers applied. A 16-bit source is the low half;
 * the high half is arbitrary. The high half of a 16-bit result is ignored. Two packed elements are
 * the halves of the dword, or two dwords, already selected by OP_SEL. Lane masks: bit l of mask_in
 * and mask_out belongs to lane l.
 *
 * For opcodes with float operands the host's rounding is set as MODE selects. Denormals are flushed
 * before and after the lane function, by operand type. */
struct mx_lanes {
	const uint32_t (*s[3])[MX_LANES];
	uint64_t mask_in, mask_out;
	uint32_t mode;             /* MODE [ISA 3.5] */
	uint8_t truth;             /* v_bitop3's table */
	uint8_t op_sel, op_sel_hi; /* for opcodes with MX_OP_SEL */
	uint8_t neg, abs;          /* likewise */
	bool clamp;                /* for opcodes with MX_CLAMPS */
	uint64_t assumed;          /* lanes with a result that rests on `rule` */
	mx_assumption rule;
	_Alignas(64) uint32_t d[MX_VALU_DWORDS][MX_LANES];
};

typedef void mx_lane_function(struct mx_lanes *x);

/* The name of an opcode's function. Files lanes_*.c are compiled once for each step of the CPU. */
#define MX_L(name) MX_STEPPED(mx_l_##name)

/* Fields of MODE [ISA 3.5]. */
enum {
	MX_MODE_ROUND_F32 = 0, /* 2 bits: nearest, +inf, -inf, zero; then f64 and f16 */
	MX_MODE_ROUND_F64 = 2,
	MX_MODE_DENORM_F32 = 4, /* 2 bits: keep sources, keep results; then f64 and f16 */
	MX_MODE_DENORM_F64 = 6,
	MX_MODE_DX10_CLAMP = 8,
	MX_MODE_IEEE = 9,
	MX_MODE_FP16_OVFL = 23,
};

#endif
