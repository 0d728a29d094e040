/* A launch: workgroups set up as the hardware does, run under their schedules [ISA 3.13; LLVM
 * "Initial Kernel Execution State"]. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* Bits of KERNEL_CODE_PROPERTIES, in the order in which their SGPRs come [LLVM "Kernel
 * Descriptor"]. */
enum {
	PRIVATE_SEGMENT_BUFFER = 1 << 0,
	DISPATCH_PTR = 1 << 1,
	QUEUE_PTR = 1 << 2,
	KERNARG_SEGMENT_PTR = 1 << 3,
	DISPATCH_ID = 1 << 4,
	FLAT_SCRATCH_INIT = 1 << 5,
	PRIVATE_SEGMENT_SIZE = 1 << 6,
	KNOWN_PROPERTIES = 0x7f, /* the rest: wave32, dynamic stack, reserved */
};

enum {
	SLICE = 1 << 20,    /* instructions of a workgroup before others get a turn */
	RESIDENT = 1024,    /* workgroups begun and not ended, at most */
	PRELOAD_SKIP = 256, /* bytes: loads for firmware without kernarg preload */
};

/* ---- waves ---- */

static bool allocate_wave(struct mx_wave *w) {
	w->v = aligned_alloc(64, MX_VGPR_FILE * sizeof *w->v);
	w->v_unwritten = aligned_alloc(64, MX_VGPR_FILE * sizeof *w->v_unwritten);
	return w->v && w->v_unwritten;
}

/* Registers start as a pattern that changes with the seed: who reads one gets caught twice. */
static void poison_registers(struct mx_wave *w, uint8_t pattern) {
	memset(w->s, pattern, sizeof w->s);
	memset(w->s_unwritten, 0xff, sizeof w->s_unwritten);
	memset(w->v, pattern, w->vgprs * sizeof *w->v);
	memset(w->v + 256, pattern, w->agprs * sizeof *w->v);
	memset(w->v_unwritten, 0xff, w->vgprs * sizeof *w->v);
	memset(w->v_unwritten + 256, 0xff, w->agprs * sizeof *w->v);
	memset(w->unwritten_lanes, 0xff, sizeof w->unwritten_lanes);
	w->scc_unwritten = true;
}

static unsigned push(struct mx_wave *w, unsigned sgpr, uint32_t value) {
	mx_swrite(w, sgpr, value, 0);
	return sgpr + 1;
}

static unsigned push_kernarg_preload(struct mx_wave *w, unsigned sgpr) {
	const struct mx_launch *launch = w->group->run->launch;
	const struct mx_kernel *k = launch->kernel;
	for (unsigned i = 0; i < k->preload_dwords; i++) {
		uint64_t address = launch->kernarg + 4 * (k->preload_offset + i);
		uint32_t unwritten, v = 0;
		if (mx_memory_check(w, NULL, -1, address, 4, false))
			v = mx_memory_read(w, address, 4, &unwritten);
		sgpr = push(w, sgpr, v);
	}
	return sgpr;
}

static void set_up_sgprs(struct mx_wave *w) {
	const struct mx_launch *launch = w->group->run->launch;
	const struct mx_kernel *k = launch->kernel;
	unsigned sgpr = 0;
	if (k->properties & KERNARG_SEGMENT_PTR) {
		sgpr = push(w, sgpr, (uint32_t)launch->kernarg);
		sgpr = push(w, sgpr, (uint32_t)(launch->kernarg >> 32));
	}
	push_kernarg_preload(w, sgpr);
	sgpr = k->user_sgprs;
	for (unsigned i = 0; i < 3; i++)
		if (k->workgroup_id[i])
			sgpr = push(w, sgpr, w->group->id[i]);
	for (unsigned i = MX_TTMP0; i < MX_M0; i++)
		push(w, i, 0);
}

/* VGPR0 holds z, y, x in ten bits each. */
static void set_up_lanes(struct mx_wave *w) {
	const uint32_t *block = w->group->run->launch->block;
	uint32_t size = block[0] * block[1] * block[2], first = w->index * MX_LANES;
	uint64_t exec = size - first >= MX_LANES ? ~0ull : (1ull << (size - first)) - 1;
	mx_vreg ids;
	for (unsigned l = 0; l < MX_LANES; l++) {
		uint32_t i = first + l;
		ids[l] = i % block[0] | i / block[0] % block[1] << 10 |
		         i / block[0] / block[1] << 20;
	}
	mx_vwrite(w, 0, ~0ull, ids, NULL);
	mx_swrite64(w, MX_EXEC, exec, 0);
}

static void start_wave(struct mx_wave *w, uint8_t pattern) {
	const struct mx_launch *launch = w->group->run->launch;
	const struct mx_kernel *k = launch->kernel;
	w->status = MX_READY;
	w->issued = 0;
	w->mode = k->mode;
	w->priority = 0;
	w->unwritten_back = false;
	w->vgprs = k->vgprs;
	w->agprs = k->agprs;
	w->next_due = UINT64_MAX;
	mx_observe_begin(w);
	w->pc = k->entry - mx_program_base(launch->program) +
	        (k->preload_dwords ? PRELOAD_SKIP : 0);
	poison_registers(w, pattern);
	set_up_sgprs(w);
	set_up_lanes(w);
	mx_scratch_start(w, pattern);
}

/* ---- workgroups ---- */

static void free_group(struct mx_group *g) {
	if (!g)
		return;
	for (unsigned i = 0; g->waves && i < g->n_waves; i++) {
		struct mx_wave *w = &g->waves[i];
		struct mx_queue *queues[] = { &w->vm, &w->fl, &w->ds, &w->sm };
		for (unsigned q = 0; q < 4; q++)
			for (unsigned j = 0; j < queues[q]->n; j++)
				free(queues[q]->op[j]);
		free(w->v);
		free(w->v_unwritten);
		mx_scratch_free(w);
	}
	while (g->free_list) {
		struct mx_memop *next = g->free_list->next_free;
		free(g->free_list);
		g->free_list = next;
	}
	free(g->waves);
	free(g->lds);
	free(g->lds_unwritten);
	free(g);
}

static struct mx_group *new_group(struct mx_run *run) {
	const struct mx_launch *l = run->launch;
	struct mx_group *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->run = run;
	g->n_waves = (l->block[0] * l->block[1] * l->block[2] + MX_LANES - 1) / MX_LANES;
	g->lds_bytes = l->kernel->lds_bytes + l->dynamic_lds;
	g->lds = malloc(g->lds_bytes + 1);
	g->lds_unwritten = malloc(g->lds_bytes + 1);
	g->waves = calloc(g->n_waves, sizeof *g->waves);
	bool ok = g->lds && g->lds_unwritten && g->waves;
	for (unsigned i = 0; ok && i < g->n_waves; i++)
		ok = allocate_wave(&g->waves[i]) && mx_scratch_new(&g->waves[i], run);
	if (ok)
		return g;
	free_group(g);
	return NULL;
}

static void start_group(struct mx_group *g, uint64_t index) {
	const struct mx_launch *l = g->run->launch;
	g->id[0] = (uint32_t)(index % l->grid[0]);
	g->id[1] = (uint32_t)(index / l->grid[0] % l->grid[1]);
	g->id[2] = (uint32_t)(index / l->grid[0] / l->grid[1]);
	g->clock = 0;
	g->at_barrier = g->ended = 0;
	mx_random_seed(&g->random, l->seed, index);
	mx_group_temper(g);
	uint8_t pattern = (uint8_t)mx_random_next(&g->random);
	memset(g->lds, pattern, g->lds_bytes);
	memset(g->lds_unwritten, 0xff, g->lds_bytes);
	for (unsigned i = 0; i < g->n_waves; i++) {
		g->waves[i].group = g;
		g->waves[i].index = i;
		start_wave(&g->waves[i], pattern);
	}
}

/* ---- the launch ---- */

/* Workgroups that have begun and not ended. One that has had its slice waits its turn, so
 * that groups which wait for each other all make progress. */
struct residents {
	struct mx_group *group[RESIDENT];
	unsigned n;
	struct mx_group *spare; /* one that has ended, to be used again */
	uint64_t begun, total;
};

static struct mx_group *begin_next(struct residents *r, struct mx_run *run) {
	struct mx_group *g = r->spare ? r->spare : new_group(run);
	r->spare = NULL;
	if (g)
		start_group(g, r->begun++);
	else
		run->out_of_memory = true;
	return g;
}

static struct mx_group *take_first(struct residents *r) {
	struct mx_group *g = r->group[0];
	memmove(r->group, r->group + 1, --r->n * sizeof *r->group);
	return g;
}

static void run_groups(struct mx_run *run, struct residents *r) {
	while (!run->report->stopped && !run->out_of_memory && (r->n || r->begun < r->total)) {
		bool fresh = r->begun < r->total && r->n < RESIDENT;
		struct mx_group *g = fresh ? begin_next(r, run) : take_first(r);
		if (!g)
			return;
		if (!mx_group_run(g, SLICE))
			r->group[r->n++] = g;
		else if (r->spare)
			free_group(g);
		else
			r->spare = g;
	}
}

/* What the launch asks for and this machine does not set up. */
static const char *unsupported_state(const struct mx_launch *l) {
	const struct mx_kernel *k = l->kernel;
	if (k->properties & (PRIVATE_SEGMENT_BUFFER | DISPATCH_PTR | QUEUE_PTR | DISPATCH_ID |
	                     FLAT_SCRATCH_INIT | PRIVATE_SEGMENT_SIZE))
		return "user SGPRs other than the kernarg pointer";
	if (k->properties & ~KNOWN_PROPERTIES)
		return "wave32, a dynamic stack or a reserved kernel property";
	if (k->tg_split)
		return "TG_SPLIT";
	if (k->workgroup_info)
		return "workgroup info SGPR";
	if (k->scratch_bytes > MX_SCRATCH_MAX)
		return "more than 131056 bytes of scratch for a work-item";
	return k->lds_bytes + l->dynamic_lds > MX_LDS_MAX ? "more than 160 KiB of LDS" : NULL;
}

bool mx_launch_run(const struct mx_launch *launch, struct mx_report *report) {
	struct mx_run run = { .launch = launch,
		              .report = report,
		              .max_instructions = launch->max_instructions
		                                          ? launch->max_instructions
		                                          : 1ull << 33 };
	struct residents r = { .total = (uint64_t)launch->grid[0] * launch->grid[1] *
		                        launch->grid[2] };
	const char *missing = unsupported_state(launch);
	if (!report->stats.by_op)
		report->stats.by_op = calloc(mx_op_count(), sizeof *report->stats.by_op);
	r.spare = report->stats.by_op ? new_group(&run) : NULL;
	if (!r.spare)
		return false;
	if (missing) {
		start_group(r.spare, 0);
		mx_find(r.spare->waves, NULL, MX_UNSUPPORTED, -1, 0, "%s", missing);
	}
	run_groups(&run, &r);
	for (unsigned i = 0; i < r.n; i++)
		free_group(r.group[i]);
	free_group(r.spare);
	return !run.out_of_memory;
}
