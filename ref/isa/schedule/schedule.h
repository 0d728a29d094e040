/* Schedules: whose turn it is, what a seed decides, and waves that make no progress. */
#ifndef MX_SCHEDULE_H
#define MX_SCHEDULE_H

#include "../machine/wave.h"

/* ---- schedule.c ---- */

/* The most that each counter may read for this instruction to issue; false if it adds to neither.
 */
bool mx_room_to_issue(const struct mx_inst *in, unsigned *vm, unsigned *lgkm);

/* Runs a workgroup for about `budget` instructions; true when it has ended and nothing is in
 * flight. */
bool mx_group_run(struct mx_group *g, uint64_t budget);

/* ---- flow.c ---- */

mx_handler mx_x_s_sendmsg;

/* ---- policy.c: what kind of schedule a seed is ---- */

/* In instructions: a wave that has run alone for so long may have to wait for another, and becomes
 * the last. */
enum { MX_FAIR = 1 << 14 };

void mx_run_policy(struct mx_run *run);
void mx_run_short_turns(struct mx_run *run); /* of workgroups, as a watcher asks */
void mx_group_policy(struct mx_group *g);

/* The workgroup that is begun as the i-th. */
uint64_t mx_run_order(const struct mx_run *run, uint64_t i);

/* When an operation that is issued now lands, if no wait asks for it earlier. */
uint64_t mx_due_time(struct mx_wave *w, struct mx_memop *m);

/* ---- turns.c: whose turn it is, by priority or as an explicit schedule says ---- */

void mx_turns_begin(struct mx_wave *w);
/* The wave whose turn comes before all priorities, by an explicit schedule or because it starves;
 * or NULL. */
struct mx_wave *mx_turns_said(struct mx_group *g);
/* By priority a wave that can do something, or NULL. */
struct mx_wave *mx_turns_pick(struct mx_group *g);
/* Instructions that the wave may issue now; and what follows from its having had its turn. */
uint64_t mx_turns_length(const struct mx_wave *w);
void mx_turns_end(struct mx_wave *w, uint64_t start);

/* Notes a decision of the schedule, where it is not the sequential one. */
void mx_record_turn(struct mx_group *g, const struct mx_wave *next);
void mx_record_landing(struct mx_wave *w, const struct mx_memop *m);
/* Notes what has not landed when a finding stops the launch: it waits for a wait that does not
 * come. */
void mx_record_rest(struct mx_group *g);

/* Neither waits at a barrier nor has ended. */
bool mx_idle(const struct mx_wave *w);

/* ---- stall.c: waves that can make no progress ---- */

/* After an instruction of a wave whose group has outlived a slice: notes whether the wave was here
 * before in the same state. */
void mx_note_round(struct mx_wave *w);

/* Runs a group for a slice as mx_group_run does. Sets *stalled where the slice changed nothing and
 * no later one will, as long as other groups do not change memory. */
bool mx_group_run_slice(struct mx_group *g, uint64_t budget, bool *stalled);

/* Reports that nothing can make progress, and which wave of the group waits where. */
void mx_report_stall(struct mx_group *g);

#endif
