/* Registers as operands: reads, writes, and which of their bits are unwritten. */
#ifndef MX_MACHINE_REGISTERS_H
#define MX_MACHINE_REGISTERS_H

#include "wave.h"

uint32_t mx_sread(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
uint64_t mx_sread64(const struct mx_wave *w, const struct mx_inst *in, unsigned code);
/* The unwritten bits of the value that mx_sread or mx_sread64 returns. */
uint32_t mx_sread_unwritten(const struct mx_wave *w, unsigned code);
uint64_t mx_sread64_unwritten(const struct mx_wave *w, unsigned code);
/* Whether unwritten bits decide if the pair at `code` is zero. */
bool mx_zero_unwritten(const struct mx_wave *w, unsigned code);
void mx_swrite(struct mx_wave *w, unsigned code, uint32_t value, uint32_t unwritten);
void mx_swrite64(struct mx_wave *w, unsigned code, uint64_t value, uint64_t unwritten);
/* Writes the instruction's scalar destination; a write to EXEC from unwritten bits is a finding. */
void mx_swrite_result(struct mx_wave *w, const struct mx_inst *in, uint64_t value,
                      uint64_t unwritten);
void mx_write_exec(struct mx_wave *w, const struct mx_inst *in, uint64_t value, uint64_t unwritten);

static inline uint64_t mx_pair(const uint32_t *s) {
	return s[0] | (uint64_t)s[1] << 32;
}
static inline uint64_t mx_exec(const struct mx_wave *w) {
	return mx_pair(w->s + MX_EXEC);
}

/* The register file row of an operand code (VGPR or AGPR). */
static inline unsigned mx_row(unsigned code) {
	return code - MX_VGPR;
}

/* Whether n vector registers from `row` on are allocated; if not, reports a finding. */
bool mx_vgprs_exist(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n);

/* Writes lanes of a vector register. `unwritten` may be NULL: all bits are written. */
void mx_vwrite(struct mx_wave *w, unsigned row, uint64_t lanes, const uint32_t *value,
               const uint32_t *unwritten);
/* The unwritten bits of a lane. */
static inline uint32_t mx_vunwritten(const struct mx_wave *w, unsigned row, unsigned lane) {
	return w->unwritten_lanes[row] >> lane & 1 ? w->v_unwritten[row][lane] : 0;
}

#endif
