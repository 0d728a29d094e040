/* Mutation: weaker waits, no barriers, shorter nops; and whether a mutant can be told from the
 * original: by its judge, by random schedules, and with the operations that the place guarded at
 * their earliest and latest legal moments, which needs no luck. */
#include "mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/isa/inst.h"
#include "schedule.h"

enum { VM_MOST = 63, LGKM_MOST = 15, WAVES = 16, S_NOP = 0xbf800000 };

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

static unsigned vm_of(uint32_t word) {
	return (word & 15) | (word >> 14 & 3) << 4;
}
static unsigned lgkm_of(uint32_t word) {
	return word >> 8 & 15;
}

static void add_wait(struct list *l, uint32_t word, unsigned vm, unsigned lgkm) {
	uint32_t weaker = (word & ~0xcf0fu) | (vm & 15) | (vm >> 4) << 14 | lgkm << 8;
	if (vm != vm_of(word))
		add(l, MX_WEAKER_WAIT, weaker, "vmcnt(%u) -> vmcnt(%u)", vm_of(word), vm);
	else
		add(l, MX_WEAKER_WAIT, weaker, "lgkmcnt(%u) -> lgkmcnt(%u)", lgkm_of(word), lgkm);
	l->mutants[l->n_mutants - 1].vm = vm;
	l->mutants[l->n_mutants - 1].lgkm = lgkm;
}

/* Each counter by one, and off. */
static void add_waits(struct list *l, uint32_t word) {
	unsigned vm = vm_of(word), lgkm = lgkm_of(word);
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

/* By one, and as short as there are. */
static void add_nops(struct list *l, uint32_t word) {
	if (word & 15)
		add_nop(l, word, (word & 15) - 1);
	if ((word & 15) > 1)
		add_nop(l, word, 0);
}

static void add_site(struct list *l, const struct mx_inst *in, uint64_t pc) {
	size_t before = l->n_mutants;
	uint32_t word = in->dwords[0];
	if (!strcmp(in->op->name, "s_waitcnt"))
		add_waits(l, word);
	else if (!strcmp(in->op->name, "s_barrier"))
		add(l, MX_NO_BARRIER, S_NOP, "s_barrier -> s_nop 0", 0, 0);
	else if (!strcmp(in->op->name, "s_nop"))
		add_nops(l, word);
	if (l->n_mutants > before)
		l->sites[l->n_sites++] = (struct mx_site){ .pc = pc, .word = word };
}

int mx_mutants_find(const uint32_t *code, size_t n, struct mx_site **sites, size_t *n_sites,
                    struct mx_mutant **mutants, size_t *n_mutants) {
	struct list l = { calloc(n + 1, sizeof *l.sites), calloc(4 * n + 1, sizeof *l.mutants), 0,
		          0 };
	if (!l.sites || !l.mutants) {
		free(l.sites);
		free(l.mutants);
		return -1;
	}
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		mx_decode(code + i, n - i, (uint32_t)(4 * i), &in);
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

/* ---- the original ---- */

struct flight {
	uint64_t issue, pc;
	bool vm, lgkm;
};

/* The operations of each wave that are in flight. Under the calm schedule workgroups follow each
 * other. */
struct watch {
	struct mx_site *sites;
	size_t n;
	uint32_t workgroup[3];
	struct flight flying[WAVES][128];
	unsigned n_flying[WAVES];
};

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct watch *w = context;
	memcpy(w->workgroup, workgroup, sizeof w->workgroup);
	if (wave < WAVES)
		w->n_flying[wave] = 0;
	return wave < WAVES ? MX_EVENT_ISSUE | MX_EVENT_LAND : 0;
}

static void guard(struct mx_site *s, uint64_t pc) {
	for (unsigned i = 0; i < s->n_guarded; i++)
		if (s->guarded[i] == pc)
			return;
	if (s->n_guarded < MX_GUARDED)
		s->guarded[s->n_guarded++] = pc;
}

static void at_site(const struct watch *w, struct mx_site *s, uint32_t wave) {
	unsigned vm = 0, lgkm = 0;
	s->reached++;
	for (unsigned i = 0; i < w->n_flying[wave]; i++) {
		const struct flight *f = &w->flying[wave][i];
		vm += f->vm;
		lgkm += 2 * f->lgkm; /* a scalar load may count twice */
		guard(s, f->pc);
	}
	s->most_vm = vm > s->most_vm ? vm : s->most_vm;
	s->most_lgkm = lgkm > s->most_lgkm ? lgkm : s->most_lgkm;
}

static void issued(struct watch *w, const struct mx_event *e) {
	struct mx_inst in;
	for (size_t i = 0; i < w->n; i++)
		if (w->sites[i].pc == e->pc)
			at_site(w, &w->sites[i], e->wave);
	mx_decode(e->code, e->dwords, 0, &in);
	mx_encoding kind = in.op ? in.op->encoding : MX_SOPP;
	if (kind != MX_SMEM && kind < MX_DS)
		return;
	if (w->n_flying[e->wave] < 128)
		w->flying[e->wave][w->n_flying[e->wave]++] =
			(struct flight){ e->issue, e->pc, kind > MX_DS,
			                 kind == MX_SMEM || kind == MX_DS || kind == MX_FLAT };
}

static void landed(struct watch *w, const struct mx_event *e) {
	for (unsigned i = 0; i < w->n_flying[e->wave]; i++)
		if (w->flying[e->wave][i].issue == e->issue) {
			w->flying[e->wave][i] = w->flying[e->wave][--w->n_flying[e->wave]];
			return;
		}
}

static void event(void *context, const struct mx_event *e) {
	if (e->kind == MX_EVENT_ISSUE)
		issued(context, e);
	else if (e->kind == MX_EVENT_LAND)
		landed(context, e);
}

int mx_sites_watch(struct mx_bench *b, struct mx_site *sites, size_t n, uint64_t *hash,
                   struct mx_error *err) {
	const struct mx_schedule late = { .late = true, .odd = UINT64_MAX };
	const struct mx_emu *emu = mx_bench_device(b)->emu;
	struct watch *w = calloc(1, sizeof *w);
	struct mx_run_result r;
	if (!w)
		return mx_fail(err, "out of memory");
	w->sites = sites;
	w->n = n;
	const struct mx_observer observer = { w, wants, event };
	emu->set_observer(&observer);
	int status = mx_bench_run_as(b, &late, &r, err);
	emu->set_observer(NULL);
	free(w);
	*hash = r.hash;
	return status;
}

/* ---- a mutant ---- */

struct trial {
	struct mx_bench *b;
	uint64_t hash;
	struct mx_mutant_end *end;
	struct mx_error *err;
};

static void flag(struct mx_mutant_end *end, const char *by, const char *text) {
	end->flagged = true;
	snprintf(end->by, sizeof end->by, "%.39s", by);
	snprintf(end->text, sizeof end->text, "%.199s", text);
}

/* Where atomics may arrive in any order, other bytes than the original's are judged by themselves.
 */
static bool is_legal(struct trial *t, const struct mx_run_result *r) {
	struct mx_verdict v = { 0 };
	struct mx_error err;
	return mx_bench_plan(t->b)->c->verdict.judge == MX_JUDGE_SET &&
	       !mx_bench_judge(t->b, r, &v, &err) && !mx_verdict_status(&v);
}

/* Findings, or bytes that are not the original's. */
static void hold(struct trial *t, const struct mx_run_result *r, const char *by, const char *text) {
	struct mx_verdict v = { 0 };
	mx_bench_device_findings(t->b, &v);
	if (v.n_notes)
		flag(t->end, v.notes[0].kind, v.notes[0].text);
	else if (r->failed)
		flag(t->end, "fault", r->failure);
	else if (r->hash != t->hash && !is_legal(t, r))
		flag(t->end, by, text);
}

static int judge(struct trial *t, uint64_t seed) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_bench_run(t->b, seed, &r, t->err) || mx_bench_judge(t->b, &r, &v, t->err))
		return -1;
	if (v.n_notes)
		flag(t->end, v.notes[0].kind, v.notes[0].text);
	return 0;
}

static int run_extreme(struct trial *t, const struct mx_schedule *s) {
	struct mx_run_result r;
	char text[200];
	if (mx_bench_run_as(t->b, s, &r, t->err))
		return -1;
	t->end->extremes++;
	snprintf(text, sizeof text, "operations at their %s, pc 0x%" PRIx64 " the other way round",
	         s->late ? "latest" : "earliest", s->odd);
	if (s->odd == UINT64_MAX)
		snprintf(text, sizeof text, "all operations at their %s, wave %u first",
		         s->late ? "latest" : "earliest", s->first_wave);
	hold(t, &r, "extreme schedule", text);
	return 0;
}

/* All at once, all late, and each guarded instruction against all others; whichever wave is first,
 * and whether those that wait let others go ahead or not. */
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
                  uint64_t hash, uint64_t seed, unsigned schedules, struct mx_mutant_end *end,
                  struct mx_error *err) {
	struct trial t = { b, hash, end, err };
	const struct mx_plan *p = mx_bench_plan(b);
	unsigned waves = (p->block[0] * p->block[1] * p->block[2] + 63) / 64;
	if (judge(&t, seed))
		return -1;
	for (unsigned i = 1; !end->flagged && i <= schedules; i++) {
		struct mx_run_result r;
		if (mx_bench_run(b, seed + i, &r, err))
			return -1;
		hold(&t, &r, "random schedule", "other bytes than the original");
	}
	if (end->flagged || m->kind == MX_SHORTER_NOP)
		return 0;
	return extremes(&t, site, waves ? waves : 1);
}
