/* mxcheck mutate: weakens each wait, barrier and nop of a kernel in turn, in memory, and sorts the
 * mutants: flagged, noted, equivalent, not judged, survived, not reached. Each mutant runs in its
 * own process. */
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

#include "../../fuzz/mutation/mutate.h"
#include "codefile.h"
#include "output.h"
#include "progress.h"

enum { BAD_INPUT = 2, SCHEDULES = 20, MAX_JOBS = 64 };

/* A kernel of the case, by the first of its steps. */
struct target {
	const char *kernel;
	const struct mx_isa *isa;
	uint8_t *file;      /* the code object; NULL: the kernel of an earlier step */
	size_t bytes, text; /* its size; the offset of the kernel in it */
};

struct mutation {
	const struct mx_options *o;
	struct mx_device *device;
	const char *kernel_dir;
	const struct mx_selection *selection;
	unsigned n_steps;
	char path[MX_MAX_STEPS][4096]; /* code objects of the steps */
	struct target target[MX_MAX_STEPS];
	struct mx_site *sites; /* n_sites for each run */
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
	size_t n_nops;                 /* mutants of s_nop that are left out */
	struct mx_original *originals; /* one for each run */
	struct mx_error err;
};

/* The answer of a child process. */
struct answer {
	int status;
	struct mx_mutant_end end;
	struct mx_error err;
};

static int make_bench(const struct mutation *m, size_t run, struct mx_bench **b,
                      struct mx_error *err) {
	const struct mx_selected *s = &m->selection->runs[run];
	struct mx_plan plan;
	if (mx_plan_make_run(s->c, &s->run, &plan, err))
		return -1;
	if (mx_bench_make(&plan, m->device, m->o->code_object, m->kernel_dir, m->o->seed, b, err))
		return -1;
	mx_bench_options(*b)->analysis = m->o->analysis;
	return 0;
}

/* With `mutant` instead of the code object of a step, wherever that is used. */
static int make_mutant(const struct mutation *m, size_t run, unsigned step, const char *mutant,
                       struct mx_bench **b, struct mx_error *err) {
	const struct mx_selected *s = &m->selection->runs[run];
	const char *code[MX_MAX_STEPS];
	struct mx_plan plan;
	if (mx_plan_make_run(s->c, &s->run, &plan, err))
		return -1;
	for (unsigned i = 0; i < m->n_steps; i++)
		code[i] = strcmp(m->path[i], m->path[step]) ? m->path[i] : mutant;
	if (mx_bench_make_from(&plan, m->device, code, m->o->seed, b, err))
		return -1;
	mx_bench_options(*b)->analysis = m->o->analysis;
	return 0;
}

/* ---- the original ---- */

/* Sites and mutants of one kernel. */
struct found {
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
};

/* Adds those of a step's kernel to those of earlier steps. */
static int add_found(struct mutation *m, unsigned step, const struct found *x) {
	struct mx_site *sites = realloc(m->sites, (m->n_sites + x->n_sites + 1) * sizeof *sites);
	if (sites)
		m->sites = sites;
	struct mx_mutant *mutants =
		realloc(m->mutants, (m->n_mutants + x->n_mutants + 1) * sizeof *mutants);
	if (mutants)
		m->mutants = mutants;
	if (!sites || !mutants)
		return -1;
	for (size_t i = 0; i < x->n_mutants; i++) {
		mutants[m->n_mutants] = x->mutants[i];
		mutants[m->n_mutants++].site += m->n_sites;
	}
	for (size_t i = 0; i < x->n_sites; i++) {
		sites[m->n_sites] = x->sites[i];
		sites[m->n_sites++].step = step;
	}
	return 0;
}

/* Finds the mutants of a step's kernel, and keeps the file to write them from. */
static int find_in(struct mutation *m, unsigned step, struct mx_codefile *f) {
	struct target *t = &m->target[step];
	struct found x;
	const struct mx_code_symbol *s = mx_code_find(f->code, t->kernel);
	if (!s)
		return mx_fail(&m->err, "%s: no kernel %s", m->path[step], t->kernel);
	if (mx_codeobject_is_compressed(f->object))
		return mx_fail(&m->err,
		               "%s: compressed bundle: unbundle it first "
		               "(clang-offload-bundler --unbundle)",
		               m->path[step]);
	const struct mx_code_section *section = &f->code->sections[s->section];
	size_t n = (mx_code_end(f->code, s) - s->address) / 4;
	const uint32_t *code = section->code + (s->address - section->address) / 4;
	t->isa = f->isa;
	t->text = section->offset + (s->address - section->address);
	if (mx_mutants_find(f->isa, code, n, &x.sites, &x.n_sites, &x.mutants, &x.n_mutants))
		return mx_fail(&m->err, "%s: out of memory", m->path[step]);
	int status = add_found(m, step, &x) ? mx_fail(&m->err, "out of memory") : 0;
	free(x.sites);
	free(x.mutants);
	t->file = f->bytes;
	t->bytes = f->n;
	f->bytes = NULL;
	return status;
}

/* Nothing executes wait states, so rules alone judge a nop. If most mutants are of that class,
 * they run only on request. */
static void leave_nops_out(struct mutation *m) {
	size_t nops = 0, kept = 0;
	for (size_t i = 0; i < m->n_mutants; i++)
		nops += m->mutants[i].kind == MX_SHORTER_NOP;
	if (m->o->nops || 2 * nops <= m->n_mutants)
		return;
	for (size_t i = 0; i < m->n_mutants; i++)
		if (m->mutants[i].kind != MX_SHORTER_NOP)
			m->mutants[kept++] = m->mutants[i];
	m->n_nops = nops;
	m->n_mutants = kept;
}

static int find_in_step(struct mutation *m, const struct mx_bench *b, unsigned step) {
	struct mx_codefile f;
	if (mx_bench_first_of(b, step) != step)
		return 0;
	if (mx_codefile_open(m->path[step], &f, &m->err))
		return -1;
	int status = find_in(m, step, &f);
	mx_codefile_close(&f);
	return status;
}

static int find_mutants(struct mutation *m, const struct mx_bench *b) {
	const struct mx_plan *p = mx_bench_plan(b);
	m->n_steps = p->n_steps;
	for (unsigned i = 0; i < p->n_steps; i++) {
		m->target[i].kernel = p->steps[i].kernel;
		snprintf(m->path[i], sizeof m->path[i], "%s", mx_bench_code(b, i));
	}
	for (unsigned i = 0; i < p->n_steps; i++)
		if (find_in_step(m, b, i))
			return -1;
	leave_nops_out(m);
	return 0;
}

/* Schedules that are asked for run after a proof, too. */
static struct mx_trials trials(const struct mutation *m) {
	unsigned race = (unsigned)m->o->race;
	return (struct mx_trials){ m->o->seed, race ? race : SCHEDULES, .past_proof = race };
}

/* Runs the original in each selected run. */
static int prepare(struct mutation *m) {
	size_t runs = m->selection->n_runs;
	const struct mx_trials all_trials = trials(m);
	struct mx_bench *b;
	for (size_t i = 0; i < runs; i++) {
		if (make_bench(m, i, &b, &m->err))
			return -1;
		int status = i ? 0 : find_mutants(m, b);
		if (!status && !i) {
			struct mx_site *all = calloc(runs * m->n_sites + 1, sizeof *all);
			m->originals = calloc(runs, sizeof *m->originals);
			if (!all || !m->originals)
				status = mx_fail(&m->err, "out of memory");
			for (size_t k = 0; !status && k < runs * m->n_sites; k++)
				all[k] = m->sites[k % m->n_sites];
			free(m->sites);
			m->sites = all;
		}
		if (!status)
			status = mx_original_run(b, m->sites + i * m->n_sites, m->n_sites,
			                         &all_trials, &m->originals[i], &m->err);
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

/* The code object with the mutant, as a file in memory. */
static int write_mutant(const struct mutation *m, const struct mx_mutant *x, char path[64]) {
	int f = memfd_create("mutant", 0);
	const struct target *t = &m->target[m->sites[x->site].step];
	size_t at = t->text + m->sites[x->site].pc;
	memcpy(t->file + at, &x->word, 4);
	snprintf(path, 64, "/proc/self/fd/%d", f);
	return f >= 0 && write(f, t->file, t->bytes) == (ssize_t)t->bytes ? 0 : -1;
}

static void try(const struct mutation *m, const struct mx_mutant *x, struct answer *a) {
	const struct mx_trials all_trials = trials(m);
	char path[64];
	if (write_mutant(m, x, path))
		a->status = mx_fail(&a->err, "out of memory");
	for (size_t i = 0; !a->status && !a->end.flagged && i < m->selection->n_runs; i++) {
		struct mx_bench *b;
		if (!site_of(m, x, i)->reached)
			continue;
		a->status = make_mutant(m, i, m->sites[x->site].step, path, &b, &a->err);
		if (a->status)
			return;
		a->status = mx_mutant_run(b, site_of(m, x, i), x, &m->originals[i], &all_trials,
		                          &a->end, &a->err);
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
		static struct answer a;
		try(m, x, &a);
		_exit(write(ends[1], &a, sizeof a) != sizeof a);
	}
	close(ends[1]);
	return c->pid > 0 ? 0 : -1;
}

/* A mutant that kills its process is flagged. */
static void finish(struct child *c, struct answer *a) {
	bool whole = read(c->from, a, sizeof *a) == sizeof *a;
	close(c->from);
	waitpid(c->pid, NULL, 0);
	if (whole)
		return;
	*a = (struct answer){ .end = { .flagged = true, .by = "crash" } };
}

/* ---- the report ---- */

typedef enum { FLAGGED, NOTED, EQUIVALENT, NOT_JUDGED, SURVIVED, NOT_REACHED, FATES } fate;

struct totals {
	unsigned n[FATES];
	unsigned never_full, margin, covered, proved; /* reasons of the equivalent ones */
};

static bool is_reached(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (site_of(m, x, i)->reached)
			return true;
	return false;
}

/* The original wait never has to wait: no more is in flight than it allows. */
static bool never_full(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++) {
		const struct mx_site *s = site_of(m, x, i);
		if (s->most[x->counter] > x->was)
			return false;
	}
	return x->kind == MX_WEAKER_WAIT;
}

/* Dependent instructions stay far enough apart, in all runs. */
static bool is_margin(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (site_of(m, x, i)->reached && site_of(m, x, i)->margin < x->shorter)
			return false;
	return x->kind == MX_SHORTER_NOP;
}

/* By the strict rule, which gives notes, other waits cover each dependence on the path of each
 * wave. */
static bool is_covered(const struct mutation *m, const struct mx_mutant *x) {
	return x->has_rule && m->o->analysis & MX_ANALYSE_WAIT_STATES;
}

/* The site, in the first run that has one, where the weaker wait lets vector memory be in flight
 * when the wave publishes something. */
static const struct mx_site *publishes_early(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; x->kind == MX_WEAKER_WAIT && i < m->selection->n_runs; i++) {
		const struct mx_site *s = site_of(m, x, i);
		if (s->reached && x->count > s->published[x->counter])
			return s;
	}
	return NULL;
}

/* A run in which the bytes of the original vary, so that only findings judge its mutants. */
static bool bytes_vary(const struct mutation *m, const struct mx_mutant *x) {
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (site_of(m, x, i)->reached && m->originals[i].varies)
			return true;
	return false;
}

static fate sort(const struct mutation *m, const struct mx_mutant *x, const struct answer *a) {
	if (!is_reached(m, x))
		return NOT_REACHED;
	if (a->end.flagged)
		return FLAGGED;
	if (a->end.noted)
		return NOTED;
	if (publishes_early(m, x) || (bytes_vary(m, x) && !mx_has_rules_alone(x->kind)))
		return NOT_JUDGED;
	bool harmless = !mx_has_rules_alone(x->kind) || is_margin(m, x) || is_covered(m, x);
	return harmless ? EQUIVALENT : SURVIVED;
}

static void explain_equivalent(const struct mutation *m, const struct mx_mutant *x,
                               const struct answer *a, struct totals *t, char *why, size_t room) {
	if (never_full(m, x)) {
		t->never_full++;
		snprintf(why, room, "no more is ever in flight here");
	} else if (x->kind == MX_SHORTER_NOP) {
		t->margin++;
		snprintf(why, room,
		         "dependent instructions across it stay further apart than any pair of "
		         "instructions may require");
	} else if (x->kind == MX_WEAKER_ALU_WAIT) {
		t->covered++;
		snprintf(why, room, "other waits cover each dependence on the path of each wave");
	} else if (!a->end.extremes) {
		t->proved++;
		snprintf(why, room, "its order is proved, and the bytes are the same");
	} else
		snprintf(why, room,
		         "the guarded operations land at their earliest and latest: same bytes in "
		         "%u runs",
		         a->end.extremes);
}

static void explain(const struct mutation *m, const struct mx_mutant *x, const struct answer *a,
                    fate f, struct totals *t, char *why, size_t room) {
	const struct mx_mutant_end *e = &a->end;
	why[0] = 0;
	if (f == FLAGGED || f == NOTED)
		snprintf(why, room, "%s %s%s%s", f == NOTED ? "by a note alone," : "by", e->by,
		         e->text[0] ? ": " : "", e->text);
	else if (f == EQUIVALENT)
		explain_equivalent(m, x, a, t, why, room);
	else if (f == NOT_JUDGED && !publishes_early(m, x))
		snprintf(why, room,
		         "the original has findings, and its bytes are wrong or vary: only a new "
		         "finding would judge it");
	else if (f == NOT_JUDGED)
		snprintf(why, room,
		         "+0x%" PRIx64 " publishes what it waits for: the emulator keeps the order "
		         "of a wave, so bytes do not show what hardware may do",
		         publishes_early(m, x)->publisher);
	else if (f == SURVIVED)
		snprintf(why, room, "no rule of wait states flags it");
}

static void report(const struct mutation *m, const struct mx_mutant *x, const struct answer *a,
                   struct totals *t) {
	static const char *const names[] = { "flagged",    "noted",    "equivalent",
		                             "not judged", "survived", "not reached" };
	fate f = sort(m, x, a);
	const struct mx_site *s = &m->sites[x->site];
	char text[160], why[MX_LINE_ROOM + 200];
	t->n[f]++;
	explain(m, x, a, f, t, why, sizeof why);
	const struct target *target = &m->target[s->step];
	target->isa->disassemble(&s->word, 1, 0, text, sizeof text);
	if (f == FLAGGED && !m->o->verbose && !a->end.disproved)
		return;
	char name[256];
	printf("%-11s %s+0x%" PRIx64 " %s: %s%s%s\n", names[f],
	       mx_kernel_short_name(target->kernel, name, sizeof name), s->pc, text, x->what,
	       why[0] ? "; " : "", why);
}

/* On a terminal one line that changes, otherwise a line at each tenth. */
static void show_progress(const struct mutation *m, double start, size_t done) {
	bool terminal = isatty(2);
	size_t tenth = m->n_mutants / 10 ? m->n_mutants / 10 : 1;
	if ((!terminal && !m->o->progress) || (!terminal && done % tenth))
		return;
	fprintf(stderr, terminal ? "\r\033[K" : "");
	if (done == m->n_mutants && terminal)
		return;
	double passed = mx_seconds() - start;
	fprintf(stderr, "%zu of %zu mutants", done, m->n_mutants);
	mx_print_left(passed / (double)done * (double)(m->n_mutants - done));
	if (!terminal)
		fputc('\n', stderr);
}

static void give_up(struct child *c) {
	struct answer a;
	kill(c->pid, SIGKILL);
	finish(c, &a);
}

static int run_all(struct mutation *m, struct totals *t) {
	struct child children[MAX_JOBS];
	size_t jobs = m->o->jobs < MAX_JOBS ? m->o->jobs : MAX_JOBS, begun = 0, done = 0;
	int status = 0;
	double start_time = mx_seconds();
	while (!status && !mx_output_is_lost() && done < m->n_mutants) {
		struct answer a = { 0 };
		for (; begun < m->n_mutants && begun < done + jobs; begun++)
			if (start(m, &m->mutants[begun], &children[begun % jobs])) {
				status = mx_fail(&m->err, "fork failed");
				break;
			}
		if (status)
			break;
		finish(&children[done % jobs], &a);
		if (a.status) {
			m->err = a.err;
			status = -1;
		} else
			report(m, &m->mutants[done], &a, t);
		show_progress(m, start_time, ++done);
	}
	for (; done < begun; done++)
		give_up(&children[done % jobs]);
	return status;
}

/* "quantise, gemm". */
static const char *kernels_of(const struct mutation *m, char *text, size_t room) {
	size_t n = 0;
	for (unsigned i = 0; i < m->n_steps && n < room; i++)
		if (m->target[i].file)
			n += (size_t)snprintf(text + n, room - n, "%s%s", n ? ", " : "",
			                      m->target[i].kernel);
	return text;
}

/* "33 equivalent (21 % of those reached: 30 because no more is ever in flight, 3 proved)". */
static void print_equivalent(const struct mutation *m, const struct totals *t) {
	unsigned n = t->n[EQUIVALENT];
	size_t reached = m->n_mutants - t->n[NOT_REACHED];
	const struct {
		unsigned n;
		const char *reason;
	} parts[] = {
		{ t->never_full, "because no more is ever in flight" },
		{ t->margin, "nops longer than needed" },
		{ t->covered, "s_wait_alu with nothing to wait for" },
		{ t->proved, "proved" },
		{ n - t->never_full - t->margin - t->covered - t->proved,
		  "under extreme schedules" },
	};
	const char *separator = ":";
	printf("%u equivalent", n);
	if (!n)
		return;
	printf(" (%.0f %% of those reached", 100.0 * n / (double)reached);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n) {
			printf("%s %u %s", separator, parts[i].n, parts[i].reason);
			separator = ",";
		}
	putchar(')');
}

static void summarise(const struct mutation *m, const struct totals *t) {
	size_t runs = m->selection->n_runs;
	char kernels[1024] = "";
	printf("%zu mutants of %s in %zu run%s: %u flagged, %u by a note alone, ", m->n_mutants,
	       kernels_of(m, kernels, sizeof kernels), runs, runs == 1 ? "" : "s", t->n[FLAGGED],
	       t->n[NOTED]);
	print_equivalent(m, t);
	printf(", %u not judged, %u survived, %u not reached\n", t->n[NOT_JUDGED], t->n[SURVIVED],
	       t->n[NOT_REACHED]);
	if (m->n_nops)
		printf("%zu mutants of nops are left out; --nops runs them\n", m->n_nops);
	for (size_t i = 0; i < m->selection->n_runs; i++)
		if (m->originals[i].n_findings)
			printf("%s: the original has %zu findings; a mutant is flagged by one that "
			       "it lacks%s\n",
			       m->selection->runs[i].name, m->originals[i].n_findings,
			       m->originals[i].varies ? "" : ", or by other bytes");
}

int mx_cmd_mutate(const struct mx_options *o, struct mx_device *d, const char *kernel_dir,
                  const struct mx_selection *s) {
	struct mutation m = { .o = o, .device = d, .kernel_dir = kernel_dir, .selection = s };
	struct totals t = { .never_full = 0 };
	for (size_t i = 1; i < s->n_runs; i++)
		if (s->runs[i].c != s->runs[0].c ||
		    s->runs[i].run.variant != s->runs[0].run.variant) {
			fputs("mxcheck mutate: the selected runs belong to several cases or "
			      "variants\n",
			      stderr);
			return BAD_INPUT;
		}
	d->threads = 1;
	int status = prepare(&m) || run_all(&m, &t);
	if (status)
		fprintf(stderr, "mxcheck mutate: %s\n", m.err.text);
	else
		summarise(&m, &t);
	for (unsigned i = 0; i < m.n_steps; i++)
		free(m.target[i].file);
	free(m.sites);
	free(m.mutants);
	for (size_t i = 0; m.originals && i < s->n_runs; i++)
		mx_original_free(&m.originals[i]);
	free(m.originals);
	return status ? BAD_INPUT : t.n[SURVIVED] ? 1 : 0;
}
