/* Schedules: which wave has the next turn, what a seed decides, and stalled waves. */
#ifndef MX_SCHEDULE_H
#define MX_SCHEDULE_H

#include "inflight.h"

/* ---- schedule.c ---- */

/* Runs a workgroup for about `budget` instructions. True if it has ended and nothing is in flight.
 */
bool mx_group_run(struct mx_group *g, uint64_t budget);

/* Whether a full counter stalls the instruction: then the wave's target is what it waits for
 * [assumed; compiled code relies on it: LLVM 22 places no wait for a load before 63 younger ones].
 */
static inline bool mx_counter_full(struct mx_wave *w, const struct mx_inst *in) {
	if (!in->counts)
		return false;
	w->target = w->group->run->most - in->counts;
	return !mx_wait_over(w);
}
/* Beyond w->limited_at: whether the wave may issue the instruction; false with a finding. */
bool mx_within_limits(struct mx_wave *w, const struct mx_inst *in);

/* ---- flow.c ---- */

mx_handler mx_x_s_sendmsg;

/* ---- policy.c: the parameters of a seed's schedule ---- */

/* In instructions. A wave that has run alone for so long may have to wait for another wave, so its
 * rank becomes the lowest. */
enum { MX_FAIR = 1 << 14 };

void mx_run_policy(struct mx_run *run);
void mx_run_short_turns(struct mx_run *run); /* of workgroups, if a watcher requires them */
void mx_group_policy(struct mx_group *g);

/* The number of workgroups of the grid; of those that run; the index of the one that starts as
 * the i-th. */
uint64_t mx_launch_groups(const struct mx_launch *l);
uint64_t mx_run_groups(const struct mx_run *run);
uint64_t mx_run_order(const struct mx_run *run, uint64_t i);

/* When an operation that issues now lands, unless a wait makes it land earlier. */
uint64_t mx_due_time(struct mx_wave *w, struct mx_memop *m);

/* ---- turns.c: turns by priority or by an explicit schedule ---- */

void mx_turns_begin(struct mx_wave *w);
/* Whether d is one of the launch's explicit schedule, for this wave, of this kind. */
bool mx_deviates(const struct mx_deviation *d, const struct mx_wave *w, mx_deviation_kind kind);
/* The wave that has the next turn whatever the priorities, by an explicit schedule or because it
 * starves; or NULL. */
struct mx_wave *mx_turns_forced(struct mx_group *g);
/* The wave of highest priority that is not idle, or NULL. */
struct mx_wave *mx_turns_pick(struct mx_group *g);
/* Instructions that the wave may issue in its turn; and the bookkeeping after the turn. */
uint64_t mx_turns_length(const struct mx_wave *w);
void mx_turns_end(struct mx_wave *w, uint64_t start);

/* Records a decision of the schedule, if it is not the sequential one. */
void mx_record_turn(struct mx_group *g, const struct mx_wave *next);
void mx_record_landing(struct mx_wave *w, const struct mx_memop *m);
/* Records operations that have not landed when a finding stops the launch, as delayed to a wait. */
void mx_record_rest(struct mx_group *g);

/* Whether the wave is at a barrier, or has ended. */
static inline bool mx_idle(const struct mx_wave *w) {
	return w->status == MX_AT_BARRIER || (w->status == MX_ENDED && !w->streams);
}

/* ---- stall.c: waves that can make no progress ---- */

/* After an instruction of a wave: notes whether the wave has returned to an earlier state. */
void mx_note_round(struct mx_wave *w);

/* Runs a group for a slice, like mx_group_run. Sets *stalled if the slice changed nothing and later
 * slices cannot, unless other groups change memory. */
bool mx_group_run_slice(struct mx_group *g, uint64_t budget, bool *stalled);

/* Reports that no wave can make progress, and where the waves of the group are. */
void mx_report_stall(struct mx_group *g);
/* Whether all waves of an idle group have ended. Otherwise one waits for a barrier that nothing
 * will complete, which is reported. */
bool mx_group_ended(struct mx_group *g);
/* Whether no wave of the workgroup can go on by itself. */
bool mx_group_waits(const struct mx_group *g);

#endif
