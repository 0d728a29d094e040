/* Memory operations whose lanes are accessed together: the common case, in which all data of the
 * wave are in range and there is nothing to report. The results are those of the functions that
 * access lane by lane (vmem.c, ds.c, lds_dma.c), which do everything else. */
#ifndef MX_TOGETHER_H
#define MX_TOGETHER_H

#include "../schedule/inflight.h"

/* Whether the lanes of a wave may be accessed together in spaces of these kinds (watch.h). */
static inline bool mx_may_be_together(const struct mx_wave *w, unsigned spaces) {
	return !w->group->run->launch->lane_by_lane && !(w->wanted & spaces);
}

/* The same of an operation whose addresses are set. */
static inline bool mx_lanes_may_be_together(const struct mx_wave *w, const struct mx_memop *m,
                                            unsigned spaces) {
	return !w->group->run->launch->lane_by_lane &&
	       (!(w->wanted & spaces) || mx_watch_elsewhere(w, m));
}

/* Sets m->from and m->to from the addresses of its lanes, and m->range: all are inside. */
void mx_range_of_addresses(const struct mx_wave *w, struct mx_memop *m);

/* Loads lanes' bytes into registers from `row` on, extended as the opcode defines. */
void mx_load_together(struct mx_wave *w, struct mx_memop *m, unsigned row, uintptr_t base,
                      const struct mx_lane_bytes *x);
/* The same into the destination, and zeros in the other lanes that take part. */
void mx_load_split(struct mx_wave *w, struct mx_memop *m, const struct mx_lane_bytes *x);

/* Copies n registers to m->data, and does not set m->unwritten. False, and does nothing, if they
 * have unwritten bits. */
bool mx_take_clean(const struct mx_wave *w, struct mx_memop *m, unsigned row, unsigned n);
/* Copies lanes of a register to a row of m->data and its unwritten bits to the same row of
 * m->unwritten. False, and does nothing, if there are unwritten bits. */
bool mx_take_row(const struct mx_wave *w, struct mx_memop *m, unsigned to, unsigned row);

static inline void mx_count_together(const struct mx_wave *w, mx_together kind) {
	w->group->run->report->stats.together[kind]++;
}

/* ---- access.c: mx_isa.access_of, mx_isa.land_access ---- */
struct mx_access *mx_access_of(struct mx_wave *w, const struct mx_memop *m, mx_together counted);
bool mx_access_land(struct mx_wave *w, const struct mx_access *a);

#endif
