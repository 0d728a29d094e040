/* Courses: what a wave did in an earlier launch, so that it need not be computed again.
 *
 * The runs of a hunt differ in their schedule. A wave takes the same course in each of them as long
 * as its loads return the same data: its registers are a function of its initial state and of these
 * data alone. A course has the wave's instructions up to its end, its memory operations as they
 * were issued, and the registers that each load wrote. A wave that follows its course executes only
 * what others can see: memory operations, waits, barriers and hints. They are issued, land and take
 * effect as always, and draw the same random numbers. Each load is compared with the course when it
 * lands, by the bytes that it reads (access.h) or by its registers. If it returns anything else, the
 * wave leaves the course: it executes its instructions up to here again, with the data of the course
 * for the loads that have landed, and goes on as usual.
 *
 * This is exact because of what the recording refuses (course_record.c):
 * - Every load has landed before the first instruction that touches its registers. A wave that
 *   follows checks this after the last wait before that instruction, and leaves if it does not
 *   hold; so the moment of landing does not matter.
 * - No memory operation, wait or branch reads unwritten bits, which differ from run to run. Other
 *   instructions may: the written bits of their results do not depend on them (uninit/taint.h).
 * - No instruction reads anything else that a schedule changes, or reports a finding.
 * - Allocations, and guards among the bytes that are accessed, are the same (course_launch.c). */
#ifndef MX_COURSE_H
#define MX_COURSE_H

#include "../machine/wave.h"

struct mx_course_op;

/* ---- course.c: for the executor ---- */

/* Before the registers of a wave are set up: whether it will follow a course, so that they need not
 * be. It gets a course to follow, or to record, if its launch keeps courses. */
bool mx_course_begin(struct mx_wave *w);
/* Once the first registers are set up (mx_isa.start). */
void mx_course_started(struct mx_wave *w);
/* Lands an operation that a course keeps. */
void mx_course_land(struct mx_wave *w, struct mx_memop *m);
/* The wave has ended, or its launch has stopped. */
void mx_course_end(struct mx_wave *w);

/* ---- course_record.c, for waves that record ---- */

/* Before and after an instruction; and its memory operation, in between. */
void mx_course_record(struct mx_wave *w, const struct mx_inst *in, bool skipped);
void mx_course_recorded(struct mx_wave *w, const struct mx_inst *in, bool skipped);
void mx_course_keep(struct mx_wave *w, struct mx_memop *m);

static inline bool mx_course_records(const struct mx_wave *w) {
	return w->course && !w->follows;
}

/* ---- course_follow.c ---- */

/* Follows the course for at most so many instructions, at least one; less if the wave's turn ends
 * or it leaves the course. Returns their number. */
uint64_t mx_course_follow(struct mx_wave *w, uint64_t most);

#endif
