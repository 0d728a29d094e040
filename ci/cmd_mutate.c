/* mxcheck mutate: weakens each wait, barrier and nop of a kernel in turn, in memory, and sorts the
 * mutants: flagged, equivalent, survived, not reached. Each runs in a process of its own. */
#define _GNU_SOURCE
#include "mutate.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz/slack.h"
#include "../ref/isa/disasm.h"
#include "codefile.h"

enum { BAD_INPUT = 2, SCHEDULES = 20, TIME_OUT = 120, MAX_JOBS = 64 };

struct mutation {
	const struct mx_options *o;
	struct mx_device *device;
	const char *kernel_dir, *kernel;
	const struct mx_selection *selection;
	uint8_t *file;      /* the code object */
	size_t bytes, text; /* of it; where the kernel begins in it */
	const uint32_t *code;
	struct mx_site *sites; /* n_sites for each run */
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
	uint64_t *hashes; /* what the original leaves, for each run */
	struct mx_error err;
};

/* What a child tells. */
struct told {
	int status;
	struct mx_mutant_end end;
	struct mx_error err;
};

static int make_bench(const struct mutation *m, size_t run, const char *co, struct mx_bench **b,
                      struct mx_error *err) {
	const struct mx_selected *s = &m->selection->runs[run];
	struct mx_plan plan;
	if (mx_plan_make(s->c, s->M, s->N, s->K, s->regime, &plan, err))
		return -1;
	return mx_bench_make(&plan, m->device, co, m->kernel_dir, m->o->seed, b, err);
}

/* ---- the original ---- */

static int read_file(struct mutation *m, const char *path) {
	FILE *f = fopen(path, "rb");
	long n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	if (n > 0 && (m->file = malloc((size_t)n)) && !fseek(f, 0, SEEK_SET))
		m->bytes = fread(m->file, 1, (size_t)n, f);
	if (f)
		fclose(f);
	return m->bytes ? 0 : mx_fail(&m->err, "%s: cannot be read", path);
}

static int find_mutants(struct mutation *m, const char *path) {
	struct mx_codefile f;
	if (read_file(m, path) || mx_codefile_open(path, &f, &m->err))
		return -1;
	const struct mx_code_symbol *s = mx_codefile_find(&f, m->kernel);
	int status = 0;
	if (!s)
		status = mx_fail(&m->err, "%s: no kernel %s", path, m->kernel);
	else {
		const struct mx_code_section *x = &f.sections[s->section];
		m->text = x->offset + (s->address - x->address);
		size_t n = (mx_codefile_end(&f, s) - s->address) / 4;
		if (m->text + 4 * n > m->bytes ||
		    mx_mutants_find((const uint32_t *)(m->file + m->text), n, &m->sites,
		                    &m->n_sites, &m->mutants, &m->n_mutants))
			status = mx_fail(&m->err, "%s: out of memory", path);
	}
	mx_codefile_close(&f);
	return status;
}

/* What the original does in each run; it must pass, or its mutants prove nothing. */
static int watch(struct mutation *m, struct mx_bench *b, size_t run) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_slack_watch(b, m->sites + run * m->n_sites, m->n_sites, &m->err) ||
	    mx_sites_watch(b, m->sites + run * m->n_sites, m->n_sites, &m->hashes[run], &m->err) ||
	    mx_bench_run(b, m->o->seed, &r, &m->err) || mx_bench_judge(b, &r, &v, &m->err))
		return -1;
	if (v.n_notes ||
	    (r.hash != m->hashes[run] && mx_bench_plan(b)->c->verdict.judge != MX_JUDGE_SET))
		return mx_fail(&m->err, "%s: the kernel itself fails: %s",
		               m->selection->runs[run].name,
		               v.n_notes ? v.notes[0].text : "schedules differ");
	return 0;
}

static int prepare(struct mutation *m) {
	size_t runs = m->selection->n_runs;
	struct mx_bench *b;
	for (size_t i = 0; i < runs; i++) {
		if (make_bench(m, i, m->o->code_object, &b, &m->err))
			return -1;
		int status = i ? 0 : find_mutants(m, mx_bench_code(b));
		if (!status && !i) {
			struct mx_site *all = calloc(runs * m->n_sites + 1, sizeof *all);
			m->hashes = calloc(runs, sizeof *m->hashes);
			if (!all || !m->hashes)
				status = mx_fail(&m->err, "out of memory");
			for (size_t k = 0; !status && k < runs * m->n_sites; k++)
				all[k] = m->sites[k % m->n_sites];
			free(m->sites);
			m->sites = all;
		}
		if (!status)
			status = watch(m, b, i);
		mx_bench_free(b);
		if (status)
			return -1;
	}
	return 0;
}

/* ---- one mutant ---- */

static const struct mx_site *site_of(const struct mutation *m, const struct mx_mutant *x,
                                     size_t run) {
	return &m->sites[run * m->n_sites + x->site];
}

/* The code object with the mutant in it: a file in memory alone. */
static int write_mutant(const struct mutation *m, const struct mx_mutant *x, char path[64]) {
	int f = memfd_create("mutant", 0);
	size_t at = m->text + m->sites[x->site].pc;
	memcpy(m->file + at, &x->word, 4);
	snprintf(path, 64, "/proc/self/fd/%d", f);
	return f >= 0 && write(f, m->file, m->bytes) == (ssize_t)m->bytes ? 0 : -1;
}

static void try(const struct mutation *m, const struct mx_mutant *x, struct told *told) {
	unsigned n = m->o->race ? (unsigned)m->o->race : SCHEDULES;
	char path[64];
	if (write_mutant(m, x, path))
		told->status = mx_fail(&told->err, "no memory for a file in memory");
	for (size_t i = 0; !told->status && !told->end.flagged && i < m->selection->n_runs; i++) {
		struct mx_bench *b;
		if (!site_of(m, x, i)->reached)
			continue;
		told->status = make_bench(m, i, path, &b, &told->err);
		if (told->status)
			return;
		told->status = mx_mutant_run(b, site_of(m, x, i), x, m->hashes[i], m->o->seed, n,
		                             &told->end, &told->err);
		mx_bench_free(b);
	}
}

struct child {
	pid_t pid;
	int from;
};

static int start(const struct mutation *m, const struct mx_mutant *x, struct child *c) {
	int ends[2];
	if (pipe(ends))
		return -1;
	fflush(stdout);
	c->pid = fork();
	c->from = ends[0];
	if (!c->pid) {
		static struct told told;
		alarm(TIME_OUT);
		m->device->emu->set_analysis(m->o->analysis);
		try(m, x, &told);
		_exit(write(ends[1], &told, sizeof told) != sizeof told);
	}
	close(ends[1]);
	return c->pid > 0 ? 0 : -1;
}

/* A mutant that does not end, or kills its process, is flagged by that. */
static void finish(struct child *c, struct told *told) {
	int status = 0;
	bool whole = read(c->from, told, sizeof *told) == sizeof *told;
	close(c->from);
	waitpid(c->pid, &status, 0);
	if (whole)
		return;
	bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
	*told = (struct told){ .end.flagged = true };
	snprintf(told->end.by, sizeof told->end.by, late ? "time-out" : "crash");
}

/* ---- the report ---- */

typedef enum { FLAGGED, EQUIVALENT, SURVIVED, NOT_REACHED, FATES } fate;

struct totals {
	unsigned n[FATES];
	unsigned never_full, slack; /* of the equivalent */
};

static bool is_reached(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (site_of(m, x, i)->reached)
			return true;
	return false;
}

/* Never as many operations in flight as even the weaker wait lets through. */
static bool never_full(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++) {
		const struct mx_site *s = site_of(m, x, i);
		bool vm = x->vm != ((s->word & 15) | (s->word >> 14 & 3) << 4);
		unsigned was = vm ? (s->word & 15) | (s->word >> 14 & 3) << 4 : s->word >> 8 & 15;
		if ((vm ? s->most_vm : s->most_lgkm) > was)
			return false;
	}
	return x->kind == MX_WEAKER_WAIT;
}

/* Nothing that depends on anything comes too near, in any run. */
static bool is_slack(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (site_of(m, x, i)->reached && site_of(m, x, i)->slack < x->shorter)
			return false;
	return x->kind == MX_SHORTER_NOP;
}

static fate sort(const struct mutation *m, const struct mx_mutant *x, const struct told *told) {
	if (!is_reached(m, x))
		return NOT_REACHED;
	if (told->end.flagged)
		return FLAGGED;
	return x->kind == MX_SHORTER_NOP && !is_slack(m, x) ? SURVIVED : EQUIVALENT;
}

static void report(const struct mutation *m, const struct mx_mutant *x, const struct told *told,
                   struct totals *t) {
	static const char *const names[] = { "flagged", "equivalent", "survived", "not reached" };
	fate f = sort(m, x, told);
	const struct mx_site *s = &m->sites[x->site];
	char text[160], why[360] = "";
	t->n[f]++;
	mx_disassemble(&s->word, 1, s->pc, text, sizeof text);
	if (f == FLAGGED)
		snprintf(why, sizeof why, "by %s%s%s", told->end.by, told->end.text[0] ? ": " : "",
		         told->end.text);
	else if (f == EQUIVALENT && never_full(m, x)) {
		t->never_full++;
		snprintf(why, sizeof why, "there is never more in flight here");
	} else if (f == EQUIVALENT && x->kind == MX_SHORTER_NOP) {
		t->slack++;
		snprintf(why, sizeof why,
		         "what depends on each other across it stays further apart than any "
		         "instructions need");
	} else if (f == EQUIVALENT)
		snprintf(
			why, sizeof why,
			"what it guards may land at its earliest and latest: same bytes in %u runs",
			told->end.extremes);
	else if (f == SURVIVED)
		snprintf(why, sizeof why, "no judge of wait states saw it");
	if (f == FLAGGED && !m->o->verbose)
		return;
	printf("%-11s %s+0x%" PRIx64 " %s: %s%s%s\n", names[f], m->kernel, s->pc, text, x->what,
	       why[0] ? "; " : "", why);
}

static int run_all(struct mutation *m, struct totals *t) {
	struct child children[MAX_JOBS];
	size_t jobs = m->o->jobs < MAX_JOBS ? m->o->jobs : MAX_JOBS, begun = 0;
	int status = 0;
	for (size_t i = 0; !status && i < m->n_mutants; i++) {
		struct told told = { 0 };
		for (; begun < m->n_mutants && begun < i + jobs; begun++)
			if (start(m, &m->mutants[begun], &children[begun % jobs])) {
				status = mx_fail(&m->err, "fork failed");
				break;
			}
		if (status)
			break;
		finish(&children[i % jobs], &told);
		if (told.status) {
			m->err = told.err;
			status = -1;
		} else
			report(m, &m->mutants[i], &told, t);
	}
	return status;
}

static void summarise(const struct mutation *m, const struct totals *t) {
	size_t reached = m->n_mutants - t->n[NOT_REACHED];
	printf("%zu mutants of %s in %zu runs: %u flagged, %u equivalent (%.0f %% of those "
	       "reached; %u because there is never more in flight, %u longer nops than needed, %u "
	       "under extreme schedules), %u survived, %u not reached\n",
	       m->n_mutants, m->kernel, m->selection->n_runs, t->n[FLAGGED], t->n[EQUIVALENT],
	       reached ? 100.0 * t->n[EQUIVALENT] / (double)reached : 0, t->never_full, t->slack,
	       t->n[EQUIVALENT] - t->never_full - t->slack, t->n[SURVIVED], t->n[NOT_REACHED]);
}

int mx_cmd_mutate(const struct mx_options *o, struct mx_device *d, const char *kernel_dir,
                  const struct mx_selection *s) {
	struct mutation m = { .o = o, .device = d, .kernel_dir = kernel_dir, .selection = s };
	struct totals t = { .never_full = 0 };
	for (size_t i = 1; i < s->n_runs; i++)
		if (s->runs[i].c != s->runs[0].c) {
			fputs("mxcheck mutate: the runs selected are of several cases\n", stderr);
			return BAD_INPUT;
		}
	m.kernel = s->runs[0].c->kernel;
	d->emu->set_threads(1);
	int status = prepare(&m) || run_all(&m, &t);
	if (status)
		fprintf(stderr, "mxcheck mutate: %s\n", m.err.text);
	else
		summarise(&m, &t);
	free(m.file);
	free(m.sites);
	free(m.mutants);
	free(m.hashes);
	return status ? BAD_INPUT : t.n[SURVIVED] ? 1 : 0;
}
