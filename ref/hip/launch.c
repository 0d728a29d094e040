/* Launches: checks of their shape, their run and its outcome. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostcall.h"
#include "queue.h"
#include "stream_races.h"

/* ---- the report of a thread ---- */

static _Thread_local struct mx_report report;

/* Frees a thread's report with the thread. */
static pthread_key_t report_key;
static pthread_once_t report_once = PTHREAD_ONCE_INIT;

static void free_report(void *r) {
	mx_report_free(r);
}

static void make_report_key(void) {
	pthread_key_create(&report_key, free_report);
}

const struct mx_report *mxhipReport(void) {
	mx_queue_drain(NULL);
	return &report;
}

char *mxhipFindingText(const struct mx_finding *f, char *text, size_t room) {
	return mx_finding_text(&report, f, text, room);
}

/* Before the first launch: the device's. */
static const struct mx_isa *isa(void) {
	return report.isa ? report.isa : mx_isa_by_name(mx_architecture()->name);
}

size_t mxhipOpCount(void) {
	return mx_op_count(isa());
}

const char *mxhipOpName(size_t i) {
	return mx_op_name(isa(), i);
}

const char *mxhipFindingName(mx_finding_kind k) {
	return mx_finding_name(k);
}

/* ---- threads: shared by all launches of the process ---- */

static atomic_uint busy;

static unsigned processors(void) {
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

/* Takes the remaining threads for one launch: at least one; and one alone if memory has several
 * addresses, because threads know by addresses that their workgroups meet. */
static unsigned take_threads(void) {
	unsigned most = mx_options_threads(), used = atomic_load(&busy), n;
	most = mx_virtual_is_mapped_twice() ? 1 : most ? most : processors();
	do
		n = used < most ? most - used : 1;
	while (!atomic_compare_exchange_weak(&busy, &used, used + n));
	return n;
}

/* ---- checks ---- */

enum { SIMDS = 4 };

static uint64_t threads_of(const struct mx_shape *s) {
	return (uint64_t)s->block[0] * s->block[1] * s->block[2];
}

unsigned mx_waves_of(const struct mx_function *f, const struct mx_shape *s) {
	return (unsigned)((threads_of(s) + f->wave_size - 1) / f->wave_size);
}

unsigned mx_waves_fit(const struct mx_kernel *k) {
	const struct mx_architecture *a = mx_architecture();
	unsigned granules = (k->vgprs + k->agprs + a->vgpr_granule - 1) / a->vgpr_granule;
	unsigned n = granules ? a->simd_vgprs / a->vgpr_granule / granules : a->simd_waves;
	return SIMDS * (n < a->simd_waves ? n : a->simd_waves);
}

unsigned mx_groups_fit(const struct mx_kernel *k, unsigned waves, uint32_t dynamic_lds) {
	uint32_t lds = k->lds_bytes + dynamic_lds;
	unsigned by_waves = waves ? mx_waves_fit(k) / waves : 0;
	unsigned by_lds = lds ? mx_architecture()->lds_bytes / lds : by_waves;
	return by_lds < by_waves ? by_lds : by_waves;
}

static hipError_t check_block(const struct mx_function *f, const struct mx_shape *s) {
	const uint32_t *b = s->block, *r = f->required;
	unsigned long long threads = threads_of(s);
	if (b[0] > 1024 || b[1] > 1024 || b[2] > 1024 || threads > 1024)
		return mx_hip_fail(hipErrorInvalidConfiguration,
		                   "workgroup of %llu work-items, at most 1024 are possible",
		                   threads);
	if (f->max_workgroup && threads > f->max_workgroup) /* [hip-tests, launch_bounds.cc] */
		return mx_hip_fail(hipErrorLaunchFailure,
		                   "workgroup of %llu work-items, kernel %s allows %u", threads,
		                   f->name, f->max_workgroup);
	if (r[0] && (b[0] != r[0] || b[1] != r[1] || b[2] != r[2]))
		return mx_hip_fail(hipErrorInvalidConfiguration,
		                   "workgroup of %u x %u x %u, kernel %s requires %u x %u x %u",
		                   b[0], b[1], b[2], f->name, r[0], r[1], r[2]);
	if (mx_waves_of(f, s) > mx_waves_fit(&f->kernel))
		return mx_hip_fail(hipErrorLaunchOutOfResources,
		                   "workgroup of %u waves of %u registers, kernel %s: %u fit",
		                   mx_waves_of(f, s), f->kernel.vgprs + f->kernel.agprs, f->name,
		                   mx_waves_fit(&f->kernel));
	return hipSuccess;
}

/* A launch may repeat the kernel's clusters, or leave them out. */
static hipError_t check_cluster(const struct mx_function *f, const struct mx_shape *s) {
	const uint32_t *c = s->cluster, *k = f->cluster;
	if (!c[0] || !k[0] || !memcmp(c, k, sizeof s->cluster))
		return hipSuccess;
	return mx_hip_fail(hipErrorInvalidConfiguration,
	                   "clusters of %u x %u x %u workgroups, kernel %s has %u x %u x %u", c[0],
	                   c[1], c[2], f->name, k[0], k[1], k[2]);
}

/* The numbers of a workgroup along y and z must fit their registers. */
static hipError_t check_grid(const struct mx_function *f, const struct mx_shape *s) {
	const uint32_t *cluster = s->cluster[0] ? s->cluster : f->cluster;
	uint32_t most = mx_architecture()->most_yz;
	for (unsigned i = 1; i < 3; i++)
		if ((s->grid[i] - 1) / (cluster[i] ? cluster[i] : 1) >= most)
			return mx_hip_fail(hipErrorInvalidConfiguration,
			                   "%u workgroups along %c, at most %u are possible",
			                   s->grid[i], "xyz"[i], most);
	return hipSuccess;
}

hipError_t mx_launch_check(const struct mx_function *f, const struct mx_shape *s) {
	hipError_t e = mx_function_check(f);
	if (e != hipSuccess)
		return e;
	for (unsigned i = 0; i < 3; i++)
		if (!s->grid[i] || !s->block[i] || (uint64_t)s->grid[i] * s->block[i] > UINT32_MAX)
			return mx_hip_fail(hipErrorInvalidConfiguration,
			                   "grid %u x block %u in dimension %u", s->grid[i],
			                   s->block[i], i);
	if ((uint64_t)f->kernel.lds_bytes + s->dynamic_lds > mx_architecture()->lds_bytes)
		return mx_hip_fail(
			hipErrorInvalidValue,
			"%u bytes of dynamic LDS beside %u of kernel %s, the device has %u",
			s->dynamic_lds, f->kernel.lds_bytes, f->name, mx_architecture()->lds_bytes);
	e = check_cluster(f, s);
	if (e == hipSuccess)
		e = check_grid(f, s);
	return e == hipSuccess ? check_block(f, s) : e;
}

/* ---- running ---- */

static hipError_t error_of(mx_finding_kind k) {
	switch (k) {
	case MX_FAULT: return hipErrorIllegalAddress;
	case MX_STUCK: return hipErrorLaunchTimeOut;
	case MX_UNSUPPORTED: return hipErrorNotSupported;
	default: return hipErrorLaunchFailure;
	}
}

/* The finding that stopped a launch. */
static const struct mx_finding *stopped_by(const struct mx_report *r) {
	size_t i = 0;
	while (i < r->n_findings && mx_finding_class_of(r->findings[i].kind) != MX_FINDING_DEVICE)
		i++;
	return i < r->n_findings ? &r->findings[i] : r->findings;
}

/* If the results go to a report of the caller, so does the error: no other thread returns it. */
static void defer_outcome(const struct mx_report *r, const struct mx_hostcall *hostcall) {
	char text[MX_LINE_ROOM] = "launch failure";
	const struct mx_finding *f = r->n_findings ? stopped_by(r) : NULL;
	hipError_t e = f ? error_of(f->kind) : hipErrorLaunchFailure;
	if (!r->stopped)
		return;
	if (f && f->kind == MX_TRAP && mx_hostcall_asserted(hostcall))
		e = hipErrorAssert;
	if (f)
		mx_finding_text(r, f, text, sizeof text);
	if (mx_options_report())
		mx_hip_defer_own(e, text);
	else
		mx_hip_defer(e, text);
}

/* The report of the next launch, empty. */
static struct mx_report *new_report(void) {
	struct mx_report *r = mx_options_report();
	if (!r) {
		pthread_once(&report_once, make_report_key);
		pthread_setspecific(report_key, &report);
		r = &report;
	}
	mx_report_free(r);
	return r;
}

/* The last of an ascending list is in the grid. */
static bool has_workgroups(const struct mx_launch *l) {
	return !l->n_workgroups ||
	       l->workgroups[l->n_workgroups - 1] < (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/* The analysis of order knows bytes by their addresses, and takes the launch for alone. */
static void doubt(const struct mx_touched *touched, struct mx_proof *p) {
	bool aliases = mx_virtual_is_mapped_twice() && mx_races_aliases(touched);
	if (p->outcome != MX_PROVED || !(aliases || mx_races_reads_host(touched)))
		return;
	p->outcome = MX_NOT_PROVED;
	p->doubt = aliases ? MX_DOUBT_ALIASES : MX_DOUBT_HOST_MEMORY;
	p->pc = p->other_pc = MX_NO_PC;
}

static bool run_watched(const struct mx_function *f, struct mx_hostcall *hostcall,
                        struct mx_launch *launch, struct mx_report *results) {
	struct mx_watched w = { f, launch, results, hostcall, 0 };
	if (!mx_watch_begin(f, launch, &w.number)) {
		mx_races_unknown();
		return mx_launch_run(launch, results);
	}
	struct mx_saved saved = mx_watch_save(launch);
	struct mx_touched touched = { 0 };
	if (mx_races_observed())
		launch->touched = &touched;
	bool ok = mx_launch_run(launch, results);
	launch->touched = NULL;
	doubt(&touched, &results->proof);
	mx_races_launch(&w, &touched);
	mx_watch_end(&w, &saved);
	return ok;
}

/* A caller with options has standard output for itself, and may repeat launches without analyses.
 */
static void set_hostcall(struct mx_launch *l, struct mx_hostcall *h) {
	l->doorbell = h ? mx_hostcall_doorbell(h) : NULL;
	if (mx_options_are_set() && l->analysis)
		mx_hostcall_to_stderr(h);
	else if (mx_options_are_set())
		mx_hostcall_silence(h);
}

static void print_buffer(const struct mx_function *f, const struct mx_segment *segment) {
	struct mx_launch l = { 0 };
	mx_options_apply(&l);
	if (segment->printf && (!mx_options_are_set() || l.analysis))
		mx_printf_buffer_print(segment->printf, f->module,
		                       mx_options_are_set() ? stderr : NULL);
}

/* Memory that the launch may have changed gets a new version. */
static bool run_noted(const struct mx_function *f, struct mx_hostcall *hostcall,
                      struct mx_launch *launch, struct mx_report *results) {
	const struct mx_memory *m = &launch->memory;
	bool *stored = malloc(m->n + 1);
	if (!stored)
		return false;
	memset(stored, true, m->n);
	launch->stored = stored;
	bool ok = run_watched(f, hostcall, launch, results);
	for (size_t i = 0; i < m->n; i++)
		if (stored[i])
			mx_hip_changed(m->regions[i].base);
	free(stored);
	return ok;
}

static bool run_in_memory(const struct mx_function *f, struct mx_hostcall *hostcall,
                          struct mx_launch *launch, struct mx_report *results) {
	mx_watch_enter(true);
	bool ok = mx_hip_snapshot(mx_options_own_memory(), f->module->device, &launch->memory);
	if (ok) {
		launch->threads = take_threads();
		ok = run_noted(f, hostcall, launch, results);
		atomic_fetch_sub(&busy, launch->threads);
		free((void *)launch->memory.regions);
	}
	mx_watch_leave();
	return ok;
}

/* dispatch_id stays 0: each launch is the first in a queue of its own [assumed]. */
static hipError_t run(const struct mx_function *f, const struct mx_kernel *kernel,
                      const struct mx_shape *s, const struct mx_segment *segment) {
	const uint32_t *cluster = s->cluster[0] ? s->cluster : f->cluster;
	struct mx_launch launch = {
		.program = f->module->program,
		.kernel = kernel,
		.grid = { s->grid[0], s->grid[1], s->grid[2] },
		.block = { s->block[0], s->block[1], s->block[2] },
		.partial = { s->partial[0], s->partial[1], s->partial[2] },
		.cluster = { cluster[0], cluster[1], cluster[2] },
		.cooperative = s->cooperative,
		.dynamic_lds = s->dynamic_lds,
		.kernarg = (uint64_t)(uintptr_t)segment->kernarg,
		.given = (uint32_t)segment->given,
		.kernarg_bytes = (uint32_t)segment->declared,
		.dispatch = (uint64_t)(uintptr_t)segment->dispatch,
		.queue = (uint64_t)(uintptr_t)segment->queue,
	};
	mx_options_apply(&launch);
	set_hostcall(&launch, segment->hostcall);
	if (!has_workgroups(&launch))
		return mx_hip_fail(hipErrorInvalidValue, "the grid lacks workgroup %llu",
		                   (unsigned long long)launch.workgroups[launch.n_workgroups - 1]);
	struct mx_report *results = new_report();
	if (!run_in_memory(f, segment->hostcall, &launch, results))
		return mx_hip_return(hipErrorOutOfMemory);
	defer_outcome(results, segment->hostcall);
	return mx_hip_return(hipSuccess);
}

/* A dynamic stack has hipLimitStackSize bytes. */
static uint32_t scratch_of(const struct mx_function *f) {
	uint32_t stack = f->dynamic_stack ? mx_hip_stack_bytes() : 0;
	return stack > f->kernel.scratch_bytes ? stack : f->kernel.scratch_bytes;
}

hipError_t mx_launch(const struct mx_function *f, const struct mx_shape *s, void **params,
                     void **extra) {
	struct mx_segment segment;
	hipError_t e = mx_launch_check(f, s);
	if (e != hipSuccess)
		return e;
	struct mx_kernel kernel = f->kernel;
	kernel.scratch_bytes = scratch_of(f);
	e = mx_segment_new(f, s, kernel.scratch_bytes, params, extra, &segment);
	if (e != hipSuccess)
		return e;
	e = run(f, &kernel, s, &segment);
	print_buffer(f, &segment);
	mx_segment_free(&segment);
	return e;
}
