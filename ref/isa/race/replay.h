/* Replay: how a wave would continue if its loads had returned other values. */
#ifndef MX_REPLAY_H
#define MX_REPLAY_H

#include "../machine/wave.h"

enum { MX_REPLAY_ROWS = 16 };

/* A vector register before and after a replay. */
struct mx_replay_row {
	unsigned row;
	mx_vreg before, before_unwritten, after;
};

/* The wave after some instructions that change only registers. */
struct mx_replay {
	struct mx_wave wave; /* a copy; `row` has the vector registers that changed */
	struct mx_group group;
	struct mx_run run;
	struct mx_report report; /* findings of the replay; the launch does not report them */
	struct mx_replay_row row[MX_REPLAY_ROWS];
	unsigned n;
	bool writes[MX_SGPR_FILE]; /* the scalar registers that they write */
	bool loads_in_flight;      /* of the wave */
	bool ok;                   /* the instructions could be followed */
	bool strict; /* for a proof: liveness assumes nothing of EXEC, and a clock ends the replay;
	              * cleared when one begins */
};

/* Begins a replay at the wave's next instruction. Until mx_replay_end it changes the vector
 * registers of the real wave in place. */
void mx_replay_begin(struct mx_replay *r, const struct mx_wave *w);
/* The same after a replay of the wave, which has not changed since. */
void mx_replay_again(struct mx_replay *r, const struct mx_wave *w);
/* Lands a load again, from memory as it is now. */
void mx_replay_land(struct mx_replay *r, struct mx_memop *load);
/* Executes up to the first instruction that is neither arithmetic nor a branch; restores the wave's
 * registers. */
void mx_replay_end(struct mx_replay *r);

/* Whether both are at the same instruction, and all live registers are equal. */
bool mx_replay_same(const struct mx_replay *a, const struct mx_replay *b);
/* Whether the instructions left all registers that are live after them as the wave has them. */
bool mx_replay_unchanged(const struct mx_replay *a, const struct mx_wave *w);
/* Whether they could be followed, and left unwritten bits in no live register. */
bool mx_replay_is_written(const struct mx_replay *r, const struct mx_wave *w);

#endif
