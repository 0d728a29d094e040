/* Registers as operands: reads, writes, and which of their bits are unwritten. */
#ifndef MX_MACHINE_REGISTERS_H
#define MX_MACHINE_REGISTERS_H

#include <string.h>

#include "wave.h"

/* All that instructions compute from, unwritten, as before mx_isa.start sets the first values. */
void mx_registers_start(struct mx_wave *w);

/* Codes below MX_SGPR_FILE that are registers. */
static inline bool mx_is_scalar_register(unsigned code) {
	return code <= MX_M0 || code == MX_EXEC || code == MX_EXEC + 1;
}

/* Codes that are inline integers, and their values. */
static inline bool mx_is_inline_integer(unsigned code) {
	return code >= MX_INT_0 && code <= MX_INT_NEG_16;
}
static inline uint32_t mx_inline_integer(unsigned code) {
	return code <= MX_INT_64 ? code - MX_INT_0 : -(code - MX_INT_64);
}

/* The values of other codes, and their unwritten bits. */
uint32_t mx_constant(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
uint32_t mx_constant_unwritten(const struct mx_wave *w, unsigned code);
static inline uint32_t mx_sread(const struct mx_wave *w, const struct mx_inst *in, unsigned code) {
	return mx_is_scalar_register(code)  ? w->s[code]
	       : mx_is_inline_integer(code) ? mx_inline_integer(code)
	                                    : mx_constant(w, in, code);
}
uint64_t mx_sread64(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
/* The unwritten bits of the value that mx_sread or mx_sread64 returns. */
static inline uint32_t mx_sread_unwritten(const struct mx_wave *w, unsigned code) {
	return mx_is_scalar_register(code)  ? w->s_unwritten[code]
	       : mx_is_inline_integer(code) ? 0
	                                    : mx_constant_unwritten(w, code);
}
uint64_t mx_sread64_unwritten(const struct mx_wave *w, unsigned code);
/* Whether unwritten bits decide if the lane mask at `code` is zero. */
bool mx_zero_unwritten(const struct mx_wave *w, unsigned code);
void mx_swrite(struct mx_wave *w, unsigned code, uint32_t value, uint32_t unwritten);
void mx_swrite64(struct mx_wave *w, unsigned code, uint64_t value, uint64_t unwritten);
/* Writes the instruction's scalar destination; a write to EXEC from unwritten bits is a finding. */
void mx_swrite_result(struct mx_wave *w, const struct mx_inst *in, uint64_t value,
                      uint64_t unwritten);
void mx_write_exec(struct mx_wave *w, const struct mx_inst *in, uint64_t value, uint64_t unwritten);
/* Writes a lane mask: a pair in waves of 64, a register in waves of 32. */
void mx_write_lane_mask(struct mx_wave *w, unsigned code, uint64_t mask, uint64_t unwritten);

static inline uint64_t mx_pair(const uint32_t *s) {
	return s[0] | (uint64_t)s[1] << 32;
}
/* In waves of 32 EXEC_HI stays 0. */
static inline uint64_t mx_exec(const struct mx_wave *w) {
	return mx_pair(w->s + MX_EXEC);
}

/* A lane mask in registers: VCC, or another pair in waves of 64 and register in waves of 32. */
static inline uint64_t mx_lane_mask(const struct mx_wave *w, unsigned code) {
	return mx_pair(w->s + code) & w->lanes;
}

/* The register file row of an operand code (VGPR or AGPR), or of the operand at a position. */
static inline unsigned mx_row(unsigned code) {
	return code - MX_VGPR;
}
static inline unsigned mx_row_at(const struct mx_inst *in, unsigned position) {
	return mx_row(mx_operand_at(in, position));
}

/* Whether n vector registers from `row` on are allocated; if not, reports a finding. */
__attribute__((cold)) bool mx_more_vgprs(struct mx_wave *w, const struct mx_inst *in, unsigned row,
                                         unsigned n);
static inline bool mx_vgpr_is_allocated(const struct mx_wave *w, unsigned row, unsigned n) {
	return row + n <= (row < w->first_agpr ? w->vgprs : w->first_agpr + w->agprs);
}
static inline bool mx_vgprs_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row,
                                  unsigned n) {
	return mx_vgpr_is_allocated(w, row, n) || mx_more_vgprs(w, in, row, n);
}

/* The lanes in which a dword is not 0. By halves: a mask has the width of the dwords, so that the
 * compiler makes vector instructions. */
static inline uint64_t mx_lanes_not_zero(const uint32_t *v) {
	enum { HALF = 32 };
	uint64_t lanes = 0;
	for (size_t first = 0; first < MX_LANES; first += HALF) {
		uint32_t mask = 0;
		for (size_t i = 0; i < HALF; i++)
			mask |= (uint32_t)(v[first + i] != 0) << i;
		lanes |= (uint64_t)mask << first;
	}
	return lanes;
}

static inline void mx_copy_lanes(mx_vreg d, uint64_t lanes, const uint32_t *value) {
	if (lanes == ~0ull)
		memcpy(d, value, sizeof(mx_vreg));
	else
		for (unsigned l = 0; l < MX_LANES; l++)
			d[l] = lanes >> l & 1 ? value[l] : d[l];
}

/* Writes lanes of a vector register. `unwritten` may be NULL: all bits are written. */
void mx_note_unwritten(struct mx_wave *w, unsigned row, uint64_t lanes, const uint32_t *unwritten);
static inline void mx_vwrite(struct mx_wave *w, unsigned row, uint64_t lanes, const uint32_t *value,
                             const uint32_t *unwritten) {
	mx_copy_lanes(w->v[row], lanes, value);
	if (unwritten || w->unwritten_lanes[row])
		mx_note_unwritten(w, row, lanes, unwritten);
	if (w->wanted & MX_WATCH_VGPR)
		mx_watch_vgpr(w, row, lanes);
}
/* Whether v_unwritten has the unwritten bits of a register; if not, a lane has all or none. The row
 * of a register, which it then has. */
static inline bool mx_is_mixed(const struct mx_wave *w, unsigned row) {
	return w->mixed[row / 64] >> row % 64 & 1;
}
uint32_t *mx_mixed_row(struct mx_wave *w, unsigned row);

/* The unwritten bits of all lanes, and of one. */
static inline void mx_copy_vunwritten(const struct mx_wave *w, unsigned row, uint32_t *to) {
	uint64_t lanes = w->unwritten_lanes[row];
	bool mixed = mx_is_mixed(w, row);
	if (lanes == ~0ull && mixed)
		memcpy(to, w->v_unwritten[row], sizeof(mx_vreg));
	else
		memset(to, lanes == ~0ull ? 0xff : 0, sizeof(mx_vreg));
	for (; ~lanes && lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctzll(lanes);
		to[l] = mixed ? w->v_unwritten[row][l] : ~0u;
	}
}
static inline uint32_t mx_vunwritten(const struct mx_wave *w, unsigned row, unsigned lane) {
	if (!(w->unwritten_lanes[row] >> lane & 1))
		return 0;
	return mx_is_mixed(w, row) ? w->v_unwritten[row][lane] : ~0u;
}

#endif
