/* Mutation: weaker waits, no barriers, shorter nops. A mutant is detected by its judge, by random
 * schedules, or by extreme schedules, in which the operations that the site guarded land at their
 * earliest and latest legal moments. */
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"
#include "../hunt/schedule.h"
#include "margin.h"

enum { VM_MOST = 63, LGKM_MOST = 15, S_NOP = 0xbf800000 };

/* ---- mutants ---- */

struct list {
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
};

static void add(struct list *l, mx_mutation_kind kind, uint32_t word, const char *what,
                unsigned from, unsigned to) {
	struct mx_mutant *m = &l->mutants[l->n_mutants++];
	*m = (struct mx_mutant){ .kind = kind, .site = l->n_sites, .word = word };
	snprintf(m->what, sizeof m->what, what, from, to);
}

static void add_wait(struct list *l, uint32_t word, unsigned vm, unsigned lgkm) {
	struct mx_wait was = mx_wait_of(word), wait = { (uint8_t)vm, (uint8_t)lgkm };
	uint32_t weaker = mx_wait_into(word, wait);
	if (vm != was.vmcnt)
		add(l, MX_WEAKER_WAIT, weaker, "vmcnt(%u) -> vmcnt(%u)", was.vmcnt, vm);
	else
		add(l, MX_WEAKER_WAIT, weaker, "lgkmcnt(%u) -> lgkmcnt(%u)", was.lgkmcnt, lgkm);
	l->mutants[l->n_mutants - 1].vm = vm;
	l->mutants[l->n_mutants - 1].lgkm = lgkm;
}

/* Each counter weaker by one, and off. */
static void add_waits(struct list *l, uint32_t word) {
	unsigned vm = mx_wait_of(word).vmcnt, lgkm = mx_wait_of(word).lgkmcnt;
	if (vm < VM_MOST)
		add_wait(l, word, vm + 1, lgkm);
	if (vm + 1 < VM_MOST)
		add_wait(l, word, VM_MOST, lgkm);
	if (lgkm < LGKM_MOST)
		add_wait(l, word, vm, lgkm + 1);
	if (lgkm + 1 < LGKM_MOST)
		add_wait(l, word, vm, LGKM_MOST);
}

static void add_nop(struct list *l, uint32_t word, unsigned to) {
	add(l, MX_SHORTER_NOP, S_NOP | to, "s_nop %u -> s_nop %u", word & 15, to);
	l->mutants[l->n_mutants - 1].shorter = (word & 15) - to;
}

/* Shorter by one, and s_nop 0. */
static void add_nops(struct list *l, uint32_t word) {
	if (word & 15)
		add_nop(l, word, (word & 15) - 1);
	if ((word & 15) > 1)
		add_nop(l, word, 0);
}

static void add_site(struct list *l, const struct mx_inst *in, uint64_t pc) {
	size_t before = l->n_mutants;
	uint32_t word = in->dwords[0];
	if (mx_kind_of(in->op) == MX_IS_WAITCNT)
		add_waits(l, word);
	else if (mx_kind_of(in->op) == MX_IS_BARRIER)
		add(l, MX_NO_BARRIER, S_NOP, "s_barrier -> s_nop 0", 0, 0);
	else if (mx_kind_of(in->op) == MX_IS_NOP)
		add_nops(l, word);
	if (l->n_mutants > before)
		l->sites[l->n_sites++] =
			(struct mx_site){ .pc = pc, .word = word, .published = MX_GUARDS_NONE };
}

int mx_mutants_find(const struct mx_isa *isa, const uint32_t *code, size_t n,
                    struct mx_site **sites, size_t *n_sites, struct mx_mutant **mutants,
                    size_t *n_mutants) {
	struct list l = { calloc(n + 1, sizeof *l.sites), calloc(4 * n + 1, sizeof *l.mutants), 0,
		          0 };
	if (!l.sites || !l.mutants) {
		free(l.sites);
		free(l.mutants);
		return -1;
	}
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		isa->decode(code + i, n - i, (uint32_t)(4 * i), &in);
		if (in.op)
			add_site(&l, &in, 4 * i);
		i += in.size ? in.size / 4 : 1;
	}
	*sites = l.sites;
	*n_sites = l.n_sites;
	*mutants = l.mutants;
	*n_mutants = l.n_mutants;
	return 0;
}

/* ---- one run ---- */

/* With judge `set`, bytes that differ from the original are judged by themselves. */
static bool is_legal(struct mx_bench *b, const struct mx_run_result *r) {
	struct mx_verdict v = { 0 };
	struct mx_error err;
	return mx_bench_plan(b)->c->verdict.judge == MX_JUDGE_SET &&
	       !mx_bench_judge(b, r, &v, &err) && !mx_verdict_status(&v);
}

/* The first finding in a verdict that is not only a note, or NULL. */
static const struct mx_note *first_finding(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++)
		if (v->notes[i].severity != MX_NOT_WRONG)
			return &v->notes[i];
	return NULL;
}

/* ---- the original ---- */

/* Whether the original has this note too. */
static bool is_noted(const struct mx_original *o, const struct mx_finding *f) {
	for (size_t i = 0; i < o->n_notes; i++)
		if (o->notes[i].pc == f->pc && o->notes[i].earlier == f->earlier)
			return true;
	return false;
}

static int keep_notes(const struct mx_bench *b, struct mx_original *o, struct mx_error *err) {
	const struct mx_report *r = mx_bench_device(b)->emu->report();
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct mx_finding *f = &r->findings[i];
		if (f->kind != MX_WAIT_STATES_NOTE || is_noted(o, f))
			continue;
		if (o->n_notes == MX_ORIGINAL_NOTES)
			return mx_fail(err, "%s: more than %d notes of wait states",
			               mx_bench_plan(b)->name, MX_ORIGINAL_NOTES);
		o->notes[o->n_notes].pc = f->pc;
		o->notes[o->n_notes++].earlier = f->earlier;
	}
	return 0;
}

static int fails_itself(const struct mx_bench *b, uint64_t seed, const char *why,
                        struct mx_error *err) {
	return mx_fail(err, "%s: the kernel itself fails under seed %" PRIu64 ": %s",
	               mx_bench_plan(b)->name, seed, why);
}

/* The first run is judged; the others must have no finding and leave the same bytes. */
static int try_original(struct mx_bench *b, uint64_t seed, bool first, struct mx_original *o,
                        struct mx_error *err) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_bench_run(b, seed, &r, err) || (first && mx_bench_judge(b, &r, &v, err)))
		return -1;
	mx_bench_device_findings(b, &v);
	if (first_finding(&v))
		return fails_itself(b, seed, first_finding(&v)->text, err);
	if (keep_notes(b, o, err))
		return -1;
	if (r.failed || (r.hash != o->hash && !is_legal(b, &r)))
		return fails_itself(b, seed, r.failed ? r.failure : "schedules differ", err);
	return 0;
}

int mx_original_run(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t seed,
                    unsigned schedules, struct mx_original *o, struct mx_error *err) {
	if (mx_margin_watch(b, sites, n, err) || mx_sites_watch(b, sites, n, &o->hash, err))
		return -1;
	for (unsigned i = 0; i <= schedules; i++)
		if (try_original(b, seed + i, i == 0, o, err))
			return -1;
	return 0;
}

/* ---- a mutant ---- */

struct trial {
	struct mx_bench *b;
	const struct mx_original *original;
	struct mx_mutant_end *end;
	struct mx_error *err;
};

static void set_text(struct mx_mutant_end *end, const char *by, const char *text) {
	snprintf(end->by, sizeof end->by, "%.39s", by);
	snprintf(end->text, sizeof end->text, "%.*s", (int)sizeof end->text - 1, text);
}

static void flag(struct mx_mutant_end *end, const char *by, const char *text) {
	end->flagged = true;
	set_text(end, by, text);
}

/* Finds a note of wait states that the original lacks: one source requires what the mutation
 * removed. Other notes do not concern the mutation. */
static void look_for_notes(struct trial *t) {
	const struct mx_report *r = mx_bench_device(t->b)->emu->report();
	char text[sizeof t->end->text];
	for (size_t i = 0; !t->end->noted && i < r->n_findings; i++) {
		const struct mx_finding *f = &r->findings[i];
		if (f->kind != MX_WAIT_STATES_NOTE || is_noted(t->original, f))
			continue;
		t->end->noted = true;
		set_text(t->end, mx_finding_name(f->kind),
		         mx_finding_text(r, f, text, sizeof text));
	}
}

/* Flags findings, and bytes that differ from the original. The original has no finding, so each one
 * belongs to the mutant. */
static void compare(struct trial *t, const struct mx_run_result *r, const char *by,
                    const char *text) {
	struct mx_verdict v = { 0 };
	mx_bench_device_findings(t->b, &v);
	look_for_notes(t);
	if (first_finding(&v))
		flag(t->end, first_finding(&v)->kind, first_finding(&v)->text);
	else if (r->failed)
		flag(t->end, "fault", r->failure);
	else if (r->hash != t->original->hash && !is_legal(t->b, r))
		flag(t->end, by, text);
}

static int judge(struct trial *t, uint64_t seed) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_bench_run(t->b, seed, &r, t->err) || mx_bench_judge(t->b, &r, &v, t->err))
		return -1;
	look_for_notes(t);
	if (first_finding(&v))
		flag(t->end, first_finding(&v)->kind, first_finding(&v)->text);
	return 0;
}

static int run_extreme(struct trial *t, const struct mx_schedule *s) {
	struct mx_run_result r;
	char text[200];
	if (mx_bench_run_as(t->b, s, &r, t->err))
		return -1;
	t->end->extremes++;
	snprintf(text, sizeof text,
	         "operations at their %s, those of pc 0x%" PRIx64 " the opposite",
	         s->late ? "latest" : "earliest", s->odd);
	if (s->odd == UINT64_MAX)
		snprintf(text, sizeof text, "all operations at their %s, wave %u first",
		         s->late ? "latest" : "earliest", s->first_wave);
	compare(t, &r, "extreme schedule", text);
	return 0;
}

/* All operations at once, all late, and each guarded instruction opposite to all others; with
 * several first waves, and with patient waves or not. */
static int extremes(struct trial *t, const struct mx_site *site, unsigned waves) {
	unsigned firsts = waves < 4 ? waves : 4;
	for (unsigned i = 0; i < 4 * firsts; i++)
		for (unsigned k = 0; k <= site->n_guarded && !t->end->flagged; k++) {
			const struct mx_schedule s = {
				.late = i & 1,
				.patient = i & 2,
				.first_wave = i / 4 * waves / firsts,
				.odd = k ? site->guarded[k - 1] : UINT64_MAX,
			};
			if (run_extreme(t, &s))
				return -1;
		}
	return 0;
}

int mx_mutant_run(struct mx_bench *b, const struct mx_site *site, const struct mx_mutant *m,
                  const struct mx_original *original, uint64_t seed, unsigned schedules,
                  struct mx_mutant_end *end, struct mx_error *err) {
	struct trial t = { b, original, end, err };
	const struct mx_plan *p = mx_bench_plan(b);
	unsigned waves = (p->block[0] * p->block[1] * p->block[2] + 63) / 64;
	if (judge(&t, seed))
		return -1;
	for (unsigned i = 1; !end->flagged && i <= schedules; i++) {
		struct mx_run_result r;
		if (mx_bench_run(b, seed + i, &r, err))
			return -1;
		compare(&t, &r, "random schedule", "other bytes than the original");
	}
	if (end->flagged || m->kind == MX_SHORTER_NOP)
		return 0;
	return extremes(&t, site, waves ? waves : 1);
}
