/* Workgroups of one launch on several threads, with the bits of one thread.
 *
 * The schedule of a workgroup follows from its own random numbers, so workgroups that share no
 * written memory give the same result in any order, on any thread. The threads assume that none do.
 * If two conflict (claims.c), or there is a finding that threads cannot count each for itself
 * (machine/findings.h), all threads stop, their writes are undone, and the launch continues on one
 * thread. Watchers decide as well: each has data of its own in each part of the launch, and says
 * whether the results stand (machine/watch.h). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../encoding/instruction_set.h"
#include "../machine/claims.h"
#include "../machine/findings.h"
#include "../machine/journal.h"
#include "../machine/pages.h"
#include "bank_counts.h"
#include "launch.h"

enum { MAX_THREADS = 256, MAX_GROUPS = 1 << 30, CACHE_LINES = 128 /* bytes */ };

/* One thread's part of the launch. Two threads write to no common cache line. */
struct part {
	_Alignas(CACHE_LINES) pthread_t thread;
	bool started;
	struct mx_run run;
	struct mx_report report;
	struct mx_worker worker;
	struct mx_residents residents;
};

static void *work(void *argument) {
	struct part *p = argument;
	mx_residents_run(&p->residents, &p->run, UINT64_MAX);
	if (p->run.out_of_memory)
		mx_abort(&p->run);
	mx_residents_free(&p->residents);
	return NULL;
}

static bool prepare(struct part *p, const struct mx_run *run, const struct mx_worker *shared,
                    _Atomic uint64_t *next, uint64_t end) {
	p->worker = *shared;
	p->run = *run;
	p->run.report = &p->report;
	p->run.worker = &p->worker;
	p->run.pages = mx_pages_copy(run->pages, run->launch->memory.n);
	p->worker.journal = mx_journal_new();
	p->residents.next = next;
	p->residents.end = end;
	p->report.stats.by_op = calloc(run->isa->n_ops, sizeof *p->report.stats.by_op);
	return p->report.stats.by_op && p->worker.journal && mx_watch_part_begin(&p->run);
}

static void run_parts(struct part *parts, unsigned n) {
	for (unsigned i = 1; i < n; i++)
		parts[i].started = !pthread_create(&parts[i].thread, NULL, work, &parts[i]);
	work(&parts[0]);
	for (unsigned i = 1; i < n; i++)
		if (parts[i].started)
			pthread_join(parts[i].thread, NULL);
}

static uint32_t larger(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

static void add_stats(struct mx_stats *to, const struct mx_stats *s, size_t n_ops) {
	to->instructions += s->instructions;
	to->mfma += s->mfma;
	to->known += s->known;
	for (size_t i = 0; i < MX_COUNTERS; i++)
		to->most[i] = larger(to->most[i], s->most[i]);
	for (size_t i = 0; i < MX_TOGETHER_KINDS; i++)
		to->together[i] += s->together[i];
	for (size_t i = 0; i < n_ops; i++)
		to->by_op[i] += s->by_op[i];
	mx_add_banks(to, s);
}

/* Keeps the results of the threads, or undoes all of them. */
static void keep_or_undo(struct mx_run *run, struct part *parts, unsigned n, bool keep) {
	for (unsigned i = 0; i < n; i++) {
		mx_watch_part_end(run, &parts[i].run, keep);
		if (keep) {
			add_stats(&run->report->stats, &parts[i].report.stats, run->isa->n_ops);
			mx_merge_notes(run, &parts[i].report);
		} else
			mx_journal_undo(parts[i].worker.journal, &run->launch->memory);
	}
}

/* Whether every watcher accepts the results of every part. */
static bool all_stand(const struct mx_run *run, const struct part *parts, unsigned n) {
	for (unsigned i = 0; i < n; i++)
		if (!mx_watch_part_stands(run, &parts[i].run, !parts[i].residents.took_turns))
			return false;
	return true;
}

/* Whether there is a finding that threads do not count. */
static bool has_findings(const struct mx_report *r) {
	size_t notes = 0;
	while (notes < r->n_findings && mx_finding_is_counted(r->findings[notes].kind))
		notes++;
	return notes < r->n_findings;
}

/* Whether several threads may pay: enough workgroups, no findings, and no known conflict. */
static bool threads_may_pay(const struct mx_run *run, uint64_t first, uint64_t end) {
	return end - first >= 2 && end < MAX_GROUPS && !mx_run_over(run) &&
	       !has_findings(run->report) &&
	       !mx_program_shares(run->launch->program, run->launch->kernel->entry);
}

/* The threads have written other states. All regions count as written if one was, to the threads'
 * surprise. */
static void renew_pages(struct mx_run *run, bool surprise) {
	struct mx_pages *old = run->pages;
	run->pages = mx_pages_copy(surprise ? NULL : old, run->launch->memory.n);
	mx_pages_free(old, run->launch->memory.n);
}

static struct part *new_parts(unsigned n) {
	struct part *parts = aligned_alloc(CACHE_LINES, n * sizeof *parts);
	if (parts)
		memset(parts, 0, n * sizeof *parts);
	return parts;
}

static void free_parts(struct part *parts, unsigned n, size_t regions) {
	for (unsigned i = 0; parts && i < n; i++) {
		mx_report_free(&parts[i].report);
		mx_journal_free(parts[i].worker.journal);
		mx_pages_free(parts[i].run.pages, regions);
	}
	free(parts);
}

/* Returns whether to try again. */
static bool try_run(struct mx_run *run, _Atomic uint64_t *next, uint64_t end) {
	uint64_t first = atomic_load(next);
	uint64_t wanted = run->launch->threads < MAX_THREADS ? run->launch->threads : MAX_THREADS;
	unsigned n = (unsigned)(wanted < end - first ? wanted : end - first), ready = 0;
	atomic_bool abort = false, conflict = false, surprise = false;
	struct mx_worker shared = { .shadow = mx_shadow_new(run, end),
		                    .abort = &abort,
		                    .conflict = &conflict,
		                    .surprise = &surprise,
		                    .before = run->report };
	struct part *parts = new_parts(n);
	while (shared.shadow && parts && ready < n &&
	       prepare(&parts[ready], run, &shared, next, end))
		ready++;
	if (ready)
		run_parts(parts, ready);
	bool keep = ready && !abort && all_stand(run, parts, ready);
	keep_or_undo(run, parts, ready, keep);
	renew_pages(run, surprise);
	atomic_store(next, keep ? end : first);
	if (conflict)
		mx_program_note_sharing(run->launch->program, run->launch->kernel->entry);
	free_parts(parts, n, run->launch->memory.n);
	mx_shadow_free(shared.shadow);
	return surprise;
}

void mx_parallel_run(struct mx_run *run, _Atomic uint64_t *next, uint64_t end) {
	uint64_t first = atomic_load(next);
	while (first < end && threads_may_pay(run, first, end) && try_run(run, next, end))
		;
}
