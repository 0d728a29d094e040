/* The functions of the scalar and vector ALU, by opcode; NULL if an opcode has none. */
#ifndef MX_FUNCTIONS_H
#define MX_FUNCTIONS_H

#include "../encoding/instruction_set.h"
#include "lanes.h"
#include "salu.h"

extern mx_scalar_function *const mx_scalar_functions[MX_OPS];

/* The table for this CPU, and those of each step. */
mx_lane_function *const *mx_lane_functions(void);
typedef mx_lane_function *const mx_lane_functions_of_step[MX_OPS];
extern mx_lane_functions_of_step MX_STEPS_OF(mx_lane_table);

/* ---- hwreg.c, hwreg_gfx1250.c: mx_isa.read_hwreg and write_hwreg ---- */

struct mx_hw_value mx_gfx950_read_hwreg(const struct mx_wave *w, unsigned reg);
void mx_gfx950_write_hwreg(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
                           uint32_t unwritten);
struct mx_hw_value mx_gfx1250_read_hwreg(const struct mx_wave *w, unsigned reg);
void mx_gfx1250_write_hwreg(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
                            uint32_t unwritten);

/* ---- crosslane.c ---- */

/* Of a move between lanes of a register (MX_IS_PERMUTE): the lane that each lane takes; negative:
 * none. Returns the active lanes of which that is assumed. */
uint64_t mx_permuted_lanes(const struct mx_wave *w, const struct mx_inst *in,
                           int from[MX_LANES]);

#endif
