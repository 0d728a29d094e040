/* Watching a launch: what an analysis or an observer is called for while the executor runs.
 *
 * A watcher is a struct of callbacks. Those of a launch stand in its run, where ref/isa/launch puts
 * them before the first workgroup begins; nothing else ties the executor to them. Of several the
 * first in the run is called first.
 *
 * No callback returns anything that changes the run. What a watcher asks of the run stands in
 * `one_thread` and `short_turns`, which the launch reads before the first workgroup begins. Two
 * more things reach the run: a finding, which may stop it as every finding may, and lack of memory
 * (run->out_of_memory). */
#ifndef MX_WATCH_H
#define MX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct mx_run;
struct mx_group;
struct mx_wave;
struct mx_inst;
struct mx_memop;
struct mx_queue;

/* The places of watchers in a run; also of what they keep of a workgroup (group->kept). */
enum { MX_WATCHER_OBSERVER, MX_WATCHER_WAIT_STATES, MX_WATCHER_ORDER, MX_WATCHERS };

/* Kinds of events of a wave; w->wanted has those that a watcher wants. */
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
	MX_WATCH_BARRIER = 1 << 11, /* arrivals */
} mx_watch_kind;

/* Up to 4 bytes that were read or written. An atomic reads, then writes. */
struct mx_touch {
	mx_watch_kind space;
	bool write, atomic;
	int lane;         /* -1: of no lane */
	uint64_t address; /* device address; offset in LDS, or in the lane's scratch */
	unsigned bytes;
	uint32_t value, unwritten; /* that was read or written, and its unwritten bits */
};

struct mx_watcher {
	void *context;   /* what it keeps of the launch; goes to each callback */
	bool one_thread; /* workgroups run on one thread, so that events come in their order */

	/* Workgroups take short turns, unless the schedule says otherwise: each does a part of the
	 * work that they share through memory. This alters the run. */
	bool short_turns;

	/* ---- the launch; it began when the watcher was put into the run ---- */
	/* After its last workgroup is freed: what is found then, as a proof, goes into
	 * run->report. */
	void (*launch_end)(void *context, struct mx_run *run);

	/* ---- a workgroup ---- */
	/* Memory for one, and for others after it: g->kept. False: there is none. */
	bool (*workgroup_new)(void *context, struct mx_group *g);
	void (*workgroup_free)(void *context, struct mx_group *g);
	/* Before its first wave begins; when it has ended, with nothing in flight. One that a
	 * finding has stopped is only freed. */
	void (*workgroup_begin)(void *context, struct mx_group *g);
	void (*workgroup_end)(void *context, struct mx_group *g);
	/* All waves that have not ended have arrived, and may go on. */
	void (*barrier_opens)(void *context, struct mx_group *g);

	/* ---- a wave: called where w->wanted has the kind ---- */
	/* Before the wave is set up. Which kinds are wanted of it; NULL: those with a callback. */
	unsigned (*wave_begin)(void *context, struct mx_wave *w);
	/* Kernel arguments that are in SGPRs before the first instruction. */
	void (*preload)(void *context, struct mx_wave *w, uint64_t address, unsigned bytes);
	/* Before an instruction is executed, or skipped as MODE.VSKIP says. */
	void (*issue)(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped);
	/* An operation is in flight, in a queue of the wave. A watcher may keep a note with it. */
	void (*operation)(void *context, struct mx_wave *w, const struct mx_queue *q,
	                  struct mx_memop *m);
	/* Before and after an operation in flight lands. */
	void (*landing)(void *context, struct mx_wave *w, struct mx_memop *m);
	void (*landed)(void *context, struct mx_wave *w, struct mx_memop *m);
	/* s_waitcnt, as it is executed: before the wave's next instruction the counters are at
	 * w->vm_target and w->lgkm_target at most. */
	void (*wait)(void *context, struct mx_wave *w);
	void (*arrive)(void *context, struct mx_wave *w, const struct mx_inst *in); /* s_barrier */
	/* A scalar register, or lanes of a vector register, were written. */
	void (*sgpr)(void *context, const struct mx_wave *w, unsigned code);
	void (*vgpr)(void *context, const struct mx_wave *w, unsigned row, uint64_t lanes);
	void (*access)(void *context, const struct mx_wave *w, const struct mx_touch *t);
};

/* ---- calling them ---- */

bool mx_watch_one_thread(const struct mx_run *run);
bool mx_watch_short_turns(const struct mx_run *run);
void mx_watch_launch_end(struct mx_run *run);
bool mx_watch_workgroup_new(struct mx_group *g);
void mx_watch_workgroup_free(struct mx_group *g);
void mx_watch_workgroup_begin(struct mx_group *g);
void mx_watch_workgroup_end(struct mx_group *g);
void mx_watch_barrier_opens(struct mx_group *g);
void mx_watch_wave_begin(struct mx_wave *w); /* sets w->wanted */

/* These only where w->wanted has their kind. */
void mx_watch_preload(struct mx_wave *w, uint64_t address, unsigned bytes);
void mx_watch_issue(struct mx_wave *w, const struct mx_inst *in, bool skipped);
void mx_watch_operation(struct mx_wave *w, const struct mx_queue *q, struct mx_memop *m);
void mx_watch_landing(struct mx_wave *w, struct mx_memop *m);
void mx_watch_landed(struct mx_wave *w, struct mx_memop *m);
void mx_watch_wait(struct mx_wave *w);
void mx_watch_arrive(struct mx_wave *w, const struct mx_inst *in);
void mx_watch_sgpr(const struct mx_wave *w, unsigned code);
void mx_watch_vgpr(const struct mx_wave *w, unsigned row, uint64_t lanes);
/* in: the instruction, which decides whether it is atomic; or NULL. */
void mx_watch_access(const struct mx_wave *w, const struct mx_inst *in, struct mx_touch t);

#endif
