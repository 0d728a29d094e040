/* Shared by the LDS instructions: addresses, ranges and operands [ISA chapter 11]. */
#ifndef MX_DS_H
#define MX_DS_H

#include "../schedule/inflight.h"

/* Register dwords of one element; an instruction has one or two elements per lane. */
static inline unsigned mx_ds_dwords(const struct mx_inst *in) {
	return (in->op->d + 3) / 4;
}
static inline unsigned mx_ds_elements(const struct mx_inst *in) {
	return in->op->flags & MX_TWO ? 2 : 1;
}

/* The byte address in LDS of element e of a lane. */
uint32_t mx_ds_element(const struct mx_memop *m, unsigned lane, unsigned e);

/* A new operation with the addresses of its lanes. NULL, with a finding, if registers are
 * missing. */
struct mx_memop *mx_ds_begin(struct mx_wave *w, const struct mx_inst *in);

/* Sets `inside` of each lane to its dwords in range (the second element above the first), and
 * reports accesses out of range. */
void mx_ds_check_range(struct mx_wave *w, struct mx_memop *m);

/* Takes `bytes` of each lane's data from registers into rows of m->data. */
void mx_ds_take(struct mx_wave *w, struct mx_memop *m, unsigned row, unsigned code, unsigned bytes);

/* Writes rows of m->data to the destination, all lanes of m->exec. */
void mx_ds_return(struct mx_wave *w, const struct mx_memop *m, unsigned rows);

/* Issues the operation: DS operations land in the order of issue. */
void mx_ds_issue(struct mx_wave *w, struct mx_memop *m,
                 void (*land)(struct mx_wave *w, struct mx_memop *m));

/* ds_lane.c: the lane that a lane of ds_permute or ds_bpermute names. */
unsigned mx_ds_other_lane(const struct mx_wave *w, const struct mx_inst *in, unsigned lane);

/* ds_atomic.c */
mx_handler mx_ds_atomic;

/* banks.c: the conflict cycles of an operation, as in struct mx_isa. */
bool mx_gfx950_bank_conflicts(const struct mx_memop *m, unsigned *cycles);

#endif
