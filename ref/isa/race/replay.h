/* Replay: what a wave would do next, had its loads brought other values. */
#ifndef MX_REPLAY_H
#define MX_REPLAY_H

#include "../machine/wave.h"

enum { MX_REPLAY_ROWS = 16 };

/* A vector register before and after. */
struct mx_replay_row {
	unsigned row;
	mx_vreg before, before_unwritten, after;
};

/* The wave after some instructions that change nothing but registers. */
struct mx_replay {
	struct mx_wave wave; /* a copy; its vector registers are in `row`, those that changed */
	struct mx_group group;
	struct mx_run run;
	struct mx_report report; /* of findings, which are none of the launch's */
	struct mx_replay_row row[MX_REPLAY_ROWS];
	unsigned n;
	bool ok; /* that it could be followed */
};

/* Begins a replay at the wave's next instruction. Until it ends, its wave changes the wave's vector
 * registers in place. */
void mx_replay_begin(struct mx_replay *r, const struct mx_wave *w);
/* Lands a load once more, from memory as it is now. */
void mx_replay_land(struct mx_replay *r, struct mx_memop *load);
/* Goes on to the next instruction that is more than arithmetic and branches; puts the wave's
 * registers back. */
void mx_replay_end(struct mx_replay *r);

/* Whether both stand at the same instruction, and all that may still be read is the same. */
bool mx_replay_same(const struct mx_replay *a, const struct mx_replay *b);

#endif
