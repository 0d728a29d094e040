/* A schedule said outright, held against the sequential one: what a hunt found, once more. */
#ifndef MX_REPLAY_H
#define MX_REPLAY_H

#include "batch.h"
#include "schedule.h"

/* Whether all that a schedule names is in a launch of the plan: workgroups and their waves. 0, or
 * -1 with err->text. */
int mx_schedule_check(const struct mx_schedule *s, const struct mx_plan *p, struct mx_error *err);

/* The sequential schedule with the same bytes in registers and LDS before anybody writes them. */
struct mx_schedule mx_schedule_sequential(const struct mx_schedule *s);

/* Limits the instructions of this thread's next launches by what the sequential one issues,
 * generously: one that goes round for ever under a schedule shall not take for ever. The emulator's
 * set_instruction_limit(0) ends it. */
int mx_limit_by_sequential(struct mx_bench *b, struct mx_error *err);

/* How a schedule parts from the sequential one, or where it does not, from the sequential one with
 * 0 in registers and LDS: *sequential is the one that it was held against. *x: as a run held
 * against run 0. 0, or -1 with err->text. */
int mx_replay(struct mx_bench *b, const struct mx_schedule *s, struct mx_schedule *sequential,
              struct mx_output *x, struct mx_error *err);

#endif
