/* Shape fuzzing: draws the sizes of a case at the borders of its contract and runs them.
 *
 *   case --mx_shapes_begin--> borders of each size
 *   seed, number --draw--> a trial: sizes, regime, seed of data and schedule
 *   trial --> plan, launch, verdict, coverage --> failures, and the trials that later draws vary
 *
 * Trials follow from the seed and from the coverage of earlier generations of trials, so the result
 * does not depend on the number of threads. The emulator only. Functions return 0, or -1 with
 * err->text. */
#ifndef MX_SHAPES_H
#define MX_SHAPES_H

#include <limits.h>

#include "../../oracle/bench.h"

struct mx_trial {
	struct mx_case_run run;
	uint64_t seed; /* of the data and of the schedule */
};

/* A value of a size at which kernels go wrong: the ends of its range, and tiles of it, with their
 * neighbours. */
enum { MX_MOST_BORDERS = 24 };
struct mx_borders {
	unsigned size;                           /* index in sizes */
	const struct mx_size_contract *contract; /* NULL: none */
	bool is_choice;                          /* its values are its borders */
	int64_t multiple;
	unsigned n;
	struct {
		int64_t value;
		unsigned long reached; /* trials */
	} at[MX_MOST_BORDERS];
};

/* A place in the kernel of a step: a block, or a way of a branch, by its index in `hits`. */
struct mx_site {
	unsigned step;
	size_t at;
};
struct mx_reached {
	uint32_t *hits; /* trials that reached it */
	bool *exists;
	size_t n;
};

/* A trial that reached something first. */
enum { MX_SITES = 8 };
struct mx_kept {
	struct mx_trial trial;
	unsigned n_sites;
	struct mx_site site[MX_SITES];
	unsigned swept; /* borders of sizes that were tried in it */
};

/* A failure: the trial, made as small as it stays one of the same kind. */
struct mx_shape_failure {
	struct mx_trial trial, first; /* small; as drawn */
	char kind[32];
	struct mx_verdict verdict;    /* of the small one */
	int64_t passes[MX_MAX_SIZES]; /* the next smaller value of each size, if with it the small
	                                 one passes; else 0 */
	char saved[PATH_MAX];         /* the case file that was written; or "" */
};

enum { MX_MOST_FAILURES = 4 }; /* kept for a case; one of each kind */

struct mx_shapes {
	const struct mx_case *c;
	const struct mx_variant *variant;
	struct mx_device *device;
	const char *code_object, *kernel_dir; /* as for mx_bench_make */
	uint64_t seed;
	unsigned shard, shards; /* this one, from 0, of how many; each draws trials of its own */
	unsigned threads;
	struct mx_sizes sizes; /* those of the first run, and the choices of the contract */
	bool has_tiles;        /* runs of tiles are possible */
	bool unsteered;        /* coverage does not steer the draw, and failures are not kept */
	struct mx_borders borders[MX_MAX_SIZES];
	struct mx_reached reached[MX_MAX_STEPS];
	struct mx_kept *kept;
	size_t n_kept, room;
	unsigned long trials, failing, outside;            /* outside: of the contract */
	unsigned long first_failing;                       /* trials until then; 0: none fails */
	unsigned long of_tiles;                            /* trials */
	unsigned long beyond[MX_MAX_BUFFERS][MX_CEILINGS]; /* trials with a larger buffer */
	unsigned long n_refused;                           /* shapes without a plan, or too large */
	struct mx_error refused; /* why the first shape without a plan has none; or "" */
	unsigned n_failures;
	struct mx_shape_failure failure[MX_MOST_FAILURES];
};

int mx_shapes_begin(struct mx_shapes *s, struct mx_error *err);
void mx_shapes_free(struct mx_shapes *s);

/* Runs trials until their number is `count`, or for `seconds`; 0: no such limit. Ends early once
 * mx_interrupted(). */
int mx_shapes_run(struct mx_shapes *s, unsigned long count, double seconds, struct mx_error *err);

/* Basic blocks of the kernel, and ways of its conditional branches: executed, and all. */
struct mx_covered {
	size_t blocks, all_blocks, ways, all_ways;
};
struct mx_covered mx_shapes_covered(const struct mx_shapes *s);

/* ---- steer.c ---- */

/* Counts what a trial has reached, and keeps it if it reached something first. */
int mx_steer_note(struct mx_shapes *s, const struct mx_trial *t, const struct mx_coverage *steps,
                  struct mx_error *err);
void mx_steer_free(struct mx_shapes *s);
/* The next border to try in a kept trial, of those that reached what is rarest: the trial, a size
 * and its value. False: all were tried. */
bool mx_steer_sweep(struct mx_shapes *s, struct mx_trial *t, unsigned *size, int64_t *value);
/* A kept trial, the rarer what it reached the more often. NULL: none. */
const struct mx_trial *mx_steer_pick(const struct mx_shapes *s, uint64_t random);

/* ---- draw.c ---- */

void mx_shapes_borders(struct mx_shapes *s);
/* Whether a size is M of a case with groups, which is the sum of their rows. */
bool mx_shapes_is_grouped(const struct mx_shapes *s, unsigned size);
/* The trial of a number. One without a plan is drawn again, up to a few times. */
void mx_shapes_draw(struct mx_shapes *s, unsigned long number, struct mx_trial *t);
/* Gives a size of a run a value. A sum of groups is shared by them evenly. */
void mx_shapes_set(const struct mx_shapes *s, struct mx_case_run *run, unsigned size, int64_t v);
/* A buffer, a ceiling of its bytes, and the size of a run that decides how large it is. */
struct mx_far {
	struct mx_case_run run;
	unsigned size, buffer, ceiling;
};
/* The least value of the size that brings the buffer over the ceiling or makes the shape
 * impossible. 0: the case has no tiles along this size. */
int64_t mx_shapes_far(const struct mx_shapes *s, const struct mx_far *f);
void mx_shapes_reached(struct mx_shapes *s, const struct mx_trial *t);

/* ---- trial.c ---- */

enum { MX_TRIAL_TILES = 24 }; /* of a trial that is too large as a whole */

/* Runs a trial, and sets its tiles. Returns 1 if it cannot be set up, for instance because it is
 * too large; 0 with the verdict otherwise. */
int mx_trial_run(const struct mx_shapes *s, struct mx_trial *t, struct mx_coverage *coverage,
                 struct mx_verdict *v, struct mx_error *err);
/* The kind of the finding that decides the exit status, or NULL if the verdict is a pass. */
const char *mx_trial_kind(const struct mx_verdict *v);

/* ---- reduce.c ---- */

/* Makes a failing trial smaller while its kind of failure stays. */
void mx_trial_reduce(const struct mx_shapes *s, struct mx_shape_failure *f);
/* Whether the trial fails in the same way; then it replaces the failure's. */
bool mx_trial_still_fails(const struct mx_shapes *s, struct mx_shape_failure *f,
                          struct mx_trial *t);

/* ---- border.c ---- */

/* Replaces a failing trial of tiles by one with the same kind of failure at a ceiling of 32 bits:
 * of the fewest buffers, with all other sizes small. False if there is none. */
bool mx_trial_to_border(const struct mx_shapes *s, struct mx_shape_failure *f);
/* Sets the failure's `passes`. */
void mx_trial_neighbours(const struct mx_shapes *s, struct mx_shape_failure *f);

/* ---- regress.c ---- */

/* Writes the case file with one run, of this trial, into a folder. */
int mx_trial_save(const struct mx_shapes *s, const char *dir, struct mx_shape_failure *f,
                  struct mx_error *err);

#endif
