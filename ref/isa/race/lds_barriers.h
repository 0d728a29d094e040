/* Barriers in LDS that waves poll, of which a proof is possible; see lds_barriers.c. */
#ifndef MX_LDS_BARRIERS_H
#define MX_LDS_BARRIERS_H

#include "accesses.h"

/* An arrival in flight: what its wave had waited for, and obtained, at its issue. */
struct mx_lds_arrival;

/* At issue and when it has landed; NULL if memory is short. mx_lds_arrival_drop frees it. */
struct mx_lds_arrival *mx_lds_arrival_issue(struct mx_wave *w, const struct mx_memop *m);
void mx_lds_arrival_land(struct mx_wave *w, const struct mx_lds_arrival *a);
void mx_lds_arrival_drop(struct mx_lds_arrival *a);

/* A polling load of LDS at issue, and when it has landed. */
void mx_lds_poll_issue(struct mx_wave *w, const struct mx_memop *m);
void mx_lds_poll_land(struct mx_wave *w, const struct mx_memop *m);
/* Before an instruction: the wave obtains what the barrier has that it has polled. */
void mx_lds_polls_decide(struct mx_wave *w);

/* Whether no code uses the value that an arrival returns. */
bool mx_lds_arrival_is_dead(const struct mx_wave *w, const struct mx_inst *in);

/* Whether two accesses are a poll of a barrier in LDS and an arrival there. */
bool mx_lds_barrier_has_both(const struct mx_race_range *r, uint64_t at,
                             const struct mx_inst *other, mx_race_kind was);

void mx_lds_barriers_drop(struct mx_race_group *o);

#endif
