/* Replays: an explicit schedule compared with the sequential schedule. */
#ifndef MX_HUNT_REPLAY_H
#define MX_HUNT_REPLAY_H

#include "batch.h"
#include "schedule.h"

/* Checks that the workgroups and waves of a schedule exist in the launches of a bench. 0, or -1
 * with err->text. */
int mx_schedule_check(const struct mx_schedule *s, const struct mx_bench *b, struct mx_error *err);

/* The sequential schedule with the same bytes in unwritten registers and LDS. */
struct mx_schedule mx_schedule_sequential(const struct mx_schedule *s);

/* Limits the instructions of the next launches of this thread, so that a launch that does not end
 * under a schedule is stopped. The limit is a large multiple of the sequential launch. Instruction
 * limit 0 of the bench's options removes it. */
int mx_limit_by_sequential(struct mx_bench *b, struct mx_error *err);

/* Compares a schedule with the sequential one; if they leave the same bytes, with the sequential
 * one with 0 in registers and LDS. *sequential is the one of the last comparison; *x is the result,
 * with the sequential run as run 0. 0, or -1 with err->text. */
int mx_replay(struct mx_bench *b, const struct mx_schedule *s, struct mx_schedule *sequential,
              struct mx_output *x, struct mx_error *err);

#endif
