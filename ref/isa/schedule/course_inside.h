/* The parts of a course, for the files course*.c. */
#ifndef MX_COURSE_INSIDE_H
#define MX_COURSE_INSIDE_H

#include "access.h"
#include "course.h"
#include "inflight.h"

/* A memory operation of a course. */
struct mx_course_op {
	struct mx_memop *m;
	struct mx_memop *fresh;    /* as it was issued, if landing changes it; or NULL */
	uint32_t *result;          /* the registers that it writes, as it left them; or NULL */
	uint32_t *unwritten;       /* their unwritten bits, and room to compare; NULL: none */
	struct mx_access *access;  /* by which it lands; or NULL */
	struct mx_course_op *next; /* of a list of loads */
	struct mx_course *course;
	bool in_flight, checked; /* checked: an event checks it */
};

/* What a wave executes that follows. */
typedef enum {
	MX_COURSE_OP,    /* issues an operation */
	MX_COURSE_FLOW,  /* a wait, a barrier, a hint or the end: its handler reads no register */
	MX_COURSE_NOTE,  /* computes, with notes */
	MX_COURSE_CHECK, /* loads have landed, before an instruction */
} mx_course_event_kind;

struct mx_course_event {
	mx_course_event_kind kind;
	const struct mx_inst *in; /* not of CHECK */
	unsigned n_notes;
	struct mx_noted *note;
	uint64_t issue;          /* number of the instruction in the wave, from 1 */
	struct mx_course_op *op; /* of CHECK the first of a list; or NULL */
	struct mx_memop *m;      /* of OP */
};

/* An instruction of the wave. */
struct mx_course_step {
	uint32_t pc;
	uint16_t opcode;
	uint8_t banks;
	bool computes; /* registers: a wave that leaves executes it again */
	bool issues;   /* an operation */
	bool matrix;   /* counts in mx_stats.mfma */
};

/* Instructions of one opcode in a course. */
struct mx_course_tally {
	uint32_t opcode, n;
};

typedef enum { MX_COURSE_NEW, MX_COURSE_KEPT, MX_COURSE_REFUSED } mx_course_state;

struct mx_course_recording;

struct mx_course {
	struct mx_course_launch *launch;
	mx_course_state state;
	unsigned recordings;      /* that have begun */
	uint64_t follows, leaves; /* launches in which its wave followed it; and left it */
	struct mx_course_step *step;
	struct mx_course_event *event;
	struct mx_course_op **op;
	size_t n_steps, n_events, n_ops, steps_room, events_room, ops_room;
	struct mx_course_tally *tally; /* of all steps; NULL while it is recorded */
	size_t n_tallies;
	uint64_t mfma;            /* steps that count there */
	unsigned in_flight;       /* operations of the wave that follows */
	size_t bytes;             /* that it occupies */
	uint32_t s[MX_SGPR_FILE]; /* at the first instruction: those that are written */
	bool written[MX_SGPR_FILE];
	struct mx_course_recording *recording; /* until it is complete */
};

/* ---- course_launch.c ---- */

/* The course of a wave, kept or new; NULL if it has none. */
struct mx_course *mx_course_of(struct mx_wave *w);
/* So many bytes more. False: there is no room for them. */
bool mx_course_takes(struct mx_course *c, size_t bytes);
/* Device memory that the wave accesses has no guards. False: host memory is short. */
bool mx_course_note_span(struct mx_course *c, uint64_t from, uint64_t to);
/* Drops all that was recorded. */
void mx_course_clear(struct mx_course *c);

/* ---- course_record.c ---- */

/* Records the wave's course, if memory suffices. */
void mx_course_record_begin(struct mx_wave *w, struct mx_course *c);
void mx_course_record_started(struct mx_wave *w);
/* counted: as which access its landing was counted; or MX_TOGETHER_KINDS. */
void mx_course_record_landed(struct mx_wave *w, struct mx_memop *m, mx_together counted);

/* ---- course_follow.c ---- */

/* The wave goes on without its course. `landing`: an operation that lands, or NULL. */
void mx_course_leave(struct mx_wave *w, const struct mx_memop *landing);

/* ---- course_result.c: the registers that a load writes, of the lanes that take part ---- */

/* Their dwords; 0: it writes none. A vector register has those of all lanes. */
size_t mx_course_result_dwords(const struct mx_inst *in);
/* Takes them and their unwritten bits from the registers. Returns whether there are such bits. */
bool mx_course_result_take(const struct mx_wave *w, const struct mx_memop *m, uint32_t *value,
                           uint32_t *unwritten);
/* Whether the registers have an operation's result: the same unwritten bits, and the others with
 * the same values. Then the result has the values of this launch. */
bool mx_course_result_is(const struct mx_wave *w, struct mx_course_op *op);
/* Writes it to the registers. */
void mx_course_result_write(struct mx_wave *w, const struct mx_course_op *op);

#endif
