/* Watchers: the callbacks by which an analysis or an observer follows a launch.
 *
 * A watcher is a struct of callbacks in the run. ref/isa/launch adds the watchers of a launch
 * before the first workgroup starts; the executor has no other dependency on them. Watchers are
 * called in the order of their index.
 *
 * No callback returns anything that changes the run. A watcher states its requirements in
 * `one_thread` and `short_turns`, which the launch reads before the first workgroup starts. It can
 * also report a finding, which may stop the run, and lack of memory (run->out_of_memory). */
#ifndef MX_WATCH_H
#define MX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct mx_run;
struct mx_group;
struct mx_wave;
struct mx_inst;
struct mx_memop;

/* The index of each watcher in a run, and of its data in a workgroup (group->watcher_data). */
enum {
	MX_WATCHER_OBSERVER,
	MX_WATCHER_WAIT_STATES,
	MX_WATCHER_DEPENDENCES,
	MX_WATCHER_ORDER,
	MX_WATCHER_COVERAGE,
	MX_WATCHER_BANKS,
	MX_WATCHERS
};

/* Kinds of events of a wave. w->wanted has the kinds that a watcher wants. */
typedef enum {
	MX_WATCH_ISSUE = 1 << 0,
	MX_WATCH_LANDING = 1 << 1,
	MX_WATCH_SGPR = 1 << 2,
	MX_WATCH_VGPR = 1 << 3,
	MX_WATCH_LDS = 1 << 4, /* accesses, by their space */
	MX_WATCH_SCRATCH = 1 << 5,
	MX_WATCH_GLOBAL = 1 << 6,
	MX_WATCH_CONSTANT = 1 << 7, /* device memory through the scalar cache */
	MX_WATCH_ACCESSES = 15 << 4,
	MX_WATCH_PRELOAD = 1 << 8,
	MX_WATCH_OPERATION = 1 << 9,
	MX_WATCH_WAIT = 1 << 10,
	MX_WATCH_BARRIER = 1 << 11, /* arrivals, and ends of waits */
} mx_watch_kind;

/* Up to 4 bytes that were read or written. An atomic reads, then writes. */
struct mx_touch {
	mx_watch_kind space;
	bool write, atomic;
	int lane;         /* -1: none */
	uint64_t address; /* device address; offset in LDS, or in the lane's scratch */
	unsigned bytes;
	uint32_t value, unwritten; /* the value read or written, and its unwritten bits */
};

/* What decides whether a watcher needs an instruction; of each dword of the code. */
struct mx_quiet_inst {
	uint64_t rows; /* a bit for each eight vector registers that it accesses, modulo 64 */
	bool quiet;    /* MX_WATCHER_ORDER does not need it for other reasons */
	bool known;    /* false of code that nothing leads to */
	uint8_t doubt, streams; /* of the analysis of order */
};

/* Straight code of a wave, of which only MX_WATCHER_ORDER needs instructions: those that are not
 * quiet, and those that access registers of *pending. It ends under MODEs in `mode` and under banks
 * of VGPRs. A watcher may end it at any time: end = 0. */
struct mx_quiet {
	const struct mx_quiet_inst *inst; /* NULL: watchers need every instruction */
	const uint64_t *pending;          /* as mx_quiet_inst.rows */
	uint32_t mode;
	uint32_t next; /* offset after the last instruction that was not skipped; at first
	                  UINT32_MAX */
	uint32_t end;  /* offset at which it ends */
};

struct mx_watcher {
	void *context;   /* data of the launch, passed to each callback */
	bool one_thread; /* workgroups must run on one thread, so that events come in order */

	/* Workgroups take short turns, unless the schedule sets a length: then all of them take
	 * part in work that they share through memory. This alters the run. */
	bool short_turns;

	/* ---- the launch; it begins when the watcher is added to the run ---- */
	/* After the last workgroup is freed. Results, such as a proof, go into
	 * run->report. */
	void (*launch_end)(void *context, struct mx_run *run);

	/* ---- a part of the launch: the workgroups that one of several threads runs ---- */
	/* Replaces the watcher's context in the part. False: no memory. */
	bool (*part_begin)(void *context, struct mx_run *part);
	/* Whether the part's results are those of one thread. in_order: each workgroup ended
	 * before the thread's next one began. */
	bool (*part_stands)(void *context, const struct mx_run *part, bool in_order);
	/* After all parts: adds the part's results to the launch's, if `keep`; frees its context.
	 */
	void (*part_end)(void *context, struct mx_run *part, bool keep);

	/* ---- a workgroup ---- */
	/* Allocates data for a workgroup and later ones: g->watcher_data. False: no memory. */
	bool (*workgroup_new)(void *context, struct mx_group *g);
	void (*workgroup_free)(void *context, struct mx_group *g);
	/* Before the first wave starts; and after the end, with nothing in flight. A workgroup
	 * that a finding stops is only freed. */
	void (*workgroup_begin)(void *context, struct mx_group *g);
	void (*workgroup_end)(void *context, struct mx_group *g);
	/* A barrier of the workgroup completes: waves that wait for it may continue. */
	void (*barrier_opens)(void *context, struct mx_group *g, unsigned barrier);

	/* ---- a wave: called if w->wanted has the kind ---- */
	/* Before the wave is set up. Returns the wanted kinds; NULL: those with a callback. */
	unsigned (*wave_begin)(void *context, struct mx_wave *w);
	/* Kernel arguments that are in SGPRs at the first instruction. */
	void (*preload)(void *context, struct mx_wave *w, uint64_t address, unsigned bytes);
	/* Before an instruction is executed, or skipped by MODE.VSKIP. Returns the offset up to
	 * which the watcher does not need the straight code after it (w->quiet); 0: it does. */
	uint32_t (*issue)(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped);
	/* An operation is in flight, m->stream. A watcher may attach data to it: m->note. */
	void (*operation)(void *context, struct mx_wave *w, struct mx_memop *m);
	/* Before and after an operation in flight lands. */
	void (*landing)(void *context, struct mx_wave *w, struct mx_memop *m);
	void (*landed)(void *context, struct mx_wave *w, struct mx_memop *m);
	/* A wait, as it is executed. Before the wave's next instruction the counters are at most
	 * w->target. */
	void (*wait)(void *context, struct mx_wave *w);
	/* The wave signals a barrier; its wait for a barrier that has completed is over. */
	void (*arrive)(void *context, struct mx_wave *w, const struct mx_inst *in,
	               unsigned barrier);
	void (*pass)(void *context, struct mx_wave *w, unsigned barrier);
	/* The wave initialises, joins or leaves a barrier, or changes the number of its members. */
	void (*barrier_changes)(void *context, struct mx_wave *w, const struct mx_inst *in,
	                        unsigned barrier);
	/* A scalar register was written, or lanes of a vector register. */
	void (*sgpr)(void *context, const struct mx_wave *w, unsigned code);
	void (*vgpr)(void *context, const struct mx_wave *w, unsigned row, uint64_t lanes);
	void (*access)(void *context, const struct mx_wave *w, const struct mx_touch *t);
	/* Whether `access` needs no access of an operation whose addresses are set. NULL: it may
	 * need each. */
	bool (*elsewhere)(void *context, const struct mx_memop *m);
};

/* ---- calling them ---- */

bool mx_watch_one_thread(const struct mx_run *run);
bool mx_watch_short_turns(const struct mx_run *run);
void mx_watch_launch_end(struct mx_run *run);
/* `part` starts as a copy of the run. */
bool mx_watch_part_begin(struct mx_run *part);
bool mx_watch_part_stands(const struct mx_run *run, const struct mx_run *part, bool in_order);
void mx_watch_part_end(const struct mx_run *run, struct mx_run *part, bool keep);
bool mx_watch_workgroup_new(struct mx_group *g);
void mx_watch_workgroup_free(struct mx_group *g);
void mx_watch_workgroup_begin(struct mx_group *g);
void mx_watch_workgroup_end(struct mx_group *g);
void mx_watch_barrier_opens(struct mx_group *g, unsigned barrier);
void mx_watch_wave_begin(struct mx_wave *w); /* sets w->wanted */

/* Only if w->wanted has their kind. */
void mx_watch_preload(struct mx_wave *w, uint64_t address, unsigned bytes);
void mx_watch_issue(struct mx_wave *w, const struct mx_inst *in, bool skipped);
/* The same of an instruction in w->quiet that is not quiet or accesses pending registers. */
void mx_watch_quiet(struct mx_wave *w, const struct mx_inst *in);
void mx_watch_operation(struct mx_wave *w, struct mx_memop *m);
void mx_watch_landing(struct mx_wave *w, struct mx_memop *m);
void mx_watch_landed(struct mx_wave *w, struct mx_memop *m);
void mx_watch_wait(struct mx_wave *w);
void mx_watch_arrive(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
void mx_watch_pass(struct mx_wave *w, unsigned barrier);
void mx_watch_barrier_changes(struct mx_wave *w, const struct mx_inst *in, unsigned barrier);
void mx_watch_sgpr(const struct mx_wave *w, unsigned code);
void mx_watch_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes);
/* Whether no watcher needs the accesses of an operation whose addresses are set. */
bool mx_watch_elsewhere(const struct mx_wave *w, const struct mx_memop *m);
/* in: the instruction, which decides whether the access is atomic; or NULL. */
void mx_watch_access(const struct mx_wave *w, const struct mx_inst *in, struct mx_touch t);

#endif
