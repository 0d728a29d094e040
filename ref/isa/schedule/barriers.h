/* Barriers of a workgroup, for the handlers of an instruction set.
 *
 * A wave signals a barrier, and later waits for it; one instruction may do both. A barrier
 * completes when each wave that has not ended has signalled it, or when it has as many signals as
 * it expects. Then it begins again without signals. A wait is over when the barrier has completed
 * since the wave's last wait for it. [ISA 4.3; LLVM "AMDGPU Execution Synchronization"] */
#ifndef MX_SCHEDULE_BARRIERS_H
#define MX_SCHEDULE_BARRIERS_H

#include "../machine/wave.h"

/* `b`: below mx_isa.n_barriers. */
void mx_barrier_signal(struct mx_wave *w, const struct mx_inst *in, unsigned b);
void mx_barrier_wait(struct mx_wave *w, unsigned b);
void mx_barrier_signal_and_wait(struct mx_wave *w, const struct mx_inst *in, unsigned b);

/* The barrier begins without signals, and completes after `expected`; 0: after those of all waves
 * that have not ended. All barriers of a workgroup begin so, with 0. */
void mx_barrier_init(struct mx_group *g, unsigned b, uint32_t expected);

/* It completes after `expected` signals, with those that it has; at the earliest with the next
 * signal, or after the wave's turn. */
void mx_barrier_expect(struct mx_group *g, unsigned b, uint32_t expected);

/* The wave's next wait is for a completion from now on. */
void mx_barrier_join(struct mx_wave *w, unsigned b);

/* A barrier of several workgroups has completed: the waits of this one's waves for it are over. */
void mx_barrier_open(struct mx_group *g, unsigned b);

/* Completes the barriers that can, after a turn: waves may have signalled or ended. */
void mx_barriers_complete(struct mx_group *g);

#endif
