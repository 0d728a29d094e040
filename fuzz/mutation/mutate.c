/* Mutation: weaker waits, no barriers, shorter nops. A mutant is detected by its judge, by random
 * schedules, or by extreme schedules, in which the operations that the site guarded land at their
 * earliest and latest legal moments. */
#include "mutate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/hwreg.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/waitstates/hazard.h"
#include "../hunt/hunt.h"
#include "../hunt/schedule.h"
#include "margin.h"

/* ---- mutants ---- */

struct list {
	const struct mx_isa *isa;
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
	bool expert; /* the code sets expert scheduling mode */
};

static struct mx_mutant *add(struct list *l, mx_mutation_kind kind, uint32_t word) {
	struct mx_mutant *m = &l->mutants[l->n_mutants++];
	*m = (struct mx_mutant){ .kind = kind, .site = l->n_sites, .word = word };
	return m;
}

static void add_wait(struct list *l, const struct mx_inst *in, unsigned c, unsigned to) {
	const struct mx_isa_counter *n = &l->isa->counter[c];
	unsigned was = mx_count(in->wait, c);
	mx_counts weaker = in->wait + MX_COUNT(c, to - was);
	struct mx_mutant *m = add(l, MX_WEAKER_WAIT, l->isa->wait_with(in->dwords[0], weaker));
	m->counter = c;
	m->was = was;
	m->count = to;
	snprintf(m->what, sizeof m->what, "%s%s%u%s -> %s%s%u%s", n->name, n->open, was, n->close,
	         n->name, n->open, to, n->close);
}

/* Each counter weaker by one, and off. */
static void add_waits(struct list *l, const struct mx_inst *in) {
	for (unsigned c = 0; c < l->isa->n_counters; c++) {
		unsigned was = mx_count(in->wait, c), most = l->isa->counter[c].most;
		if (was < most)
			add_wait(l, in, c, was + 1);
		if (was + 1 < most)
			add_wait(l, in, c, most);
	}
}

/* ---- the counts of s_wait_alu ---- */

enum {
#define MX_ALU_COUNTER(id, name, low, width) id,
#include "../../ref/isa/wait_alu.def"
#undef MX_ALU_COUNTER
	ALU_COUNTERS
};
static const struct {
	const char *name;
	uint8_t low, most;
} alu_counter[ALU_COUNTERS] = {
#define MX_ALU_COUNTER(id, name, low, width) [id] = { #name, low, (1 << (width)) - 1 },
#include "../../ref/isa/wait_alu.def"
#undef MX_ALU_COUNTER
};

static void add_alu_wait(struct list *l, uint32_t dword, unsigned c, unsigned was, unsigned to) {
	uint32_t weaker = dword + ((to - was) << alu_counter[c].low);
	struct mx_mutant *m = add(l, MX_WEAKER_ALU_WAIT, weaker);
	const char *name = alu_counter[c].name;
	snprintf(m->what, sizeof m->what, "%s(%u) -> %s(%u)", name, was, name, to);
}

/* Each count of VGPRs weaker by one, and off. The others are for what the hardware checks in the
 * mode that compilers use. */
static void add_alu_waits(struct list *l, uint32_t dword) {
	static const uint8_t vgprs[] = { VA_VDST, VM_VSRC };
	for (size_t i = 0; i < sizeof vgprs; i++) {
		unsigned c = vgprs[i], most = alu_counter[c].most;
		unsigned was = dword >> alu_counter[c].low & most;
		if (was < most)
			add_alu_wait(l, dword, c, was, was + 1);
		if (was + 1 < most)
			add_alu_wait(l, dword, c, was, most);
	}
}

/* ---- sites ---- */

static void add_no_barrier(struct list *l, const struct mx_inst *in) {
	struct mx_mutant *m = add(l, MX_NO_BARRIER, l->isa->nop.dword);
	snprintf(m->what, sizeof m->what, "%s -> %s 0", in->op->name, l->isa->nop.name);
}

static void add_nop(struct list *l, unsigned states, unsigned to) {
	struct mx_mutant *m = add(l, MX_SHORTER_NOP, l->isa->nop.dword | to);
	m->shorter = states - to;
	snprintf(m->what, sizeof m->what, "%s %u -> %s %u", l->isa->nop.name, states,
	         l->isa->nop.name, to);
}

/* Shorter by one, and the shortest. */
static void add_nops(struct list *l, const struct mx_inst *in) {
	unsigned states = (uint32_t)in->imm & 15;
	if (states)
		add_nop(l, states, states - 1);
	if (states > 1)
		add_nop(l, states, 0);
}

/* One that has no effect and is no wait state. */
static void add_no_nop(struct list *l, const struct mx_inst *in) {
	struct mx_mutant *m = add(l, MX_SHORTER_NOP, l->isa->nop.dword);
	m->shorter = 1;
	snprintf(m->what, sizeof m->what, "%s -> %s 0", in->op->name, l->isa->nop.name);
}

static void add_site(struct list *l, const struct mx_inst *in, uint64_t pc) {
	size_t before = l->n_mutants;
	struct mx_site site = { .pc = pc, .word = in->dwords[0] };
	if (mx_kind_of(in->op) == MX_IS_WAITCNT)
		add_waits(l, in);
	else if (mx_kind_of(in->op) == MX_IS_BARRIER)
		add_no_barrier(l, in);
	else if (mx_kind_of(in->op) == MX_IS_NOP)
		add_nops(l, in);
	else if (mx_is_single_nop(l->isa->hazards, in) && in->size == 4)
		add_no_nop(l, in);
	else if (in->op->id == MX_OP_s_wait_alu)
		add_alu_waits(l, in->dwords[0]);
	if (l->n_mutants == before)
		return;
	for (unsigned c = 0; c < MX_COUNTERS; c++)
		site.published[c] = MX_GUARDS_NONE;
	l->sites[l->n_sites++] = site;
}

static void look_for_modes(struct list *l, const struct mx_inst *in) {
	l->expert |= mx_kind_of(in->op) == MX_IS_SETREG && l->isa->sched_mode &&
	             mx_hw_field(in).reg == l->isa->sched_mode;
}

int mx_mutants_find(const struct mx_isa *isa, const uint32_t *code, size_t n,
                    struct mx_site **sites, size_t *n_sites, struct mx_mutant **mutants,
                    size_t *n_mutants) {
	size_t most = 2 * (size_t)isa->n_counters; /* of an instruction */
	struct list l = { .isa = isa,
		          .sites = calloc(n + 1, sizeof *l.sites),
		          .mutants = calloc(most * n + 1, sizeof *l.mutants) };
	if (!l.sites || !l.mutants) {
		free(l.sites);
		free(l.mutants);
		return -1;
	}
	for (size_t i = 0; i < n;) {
		struct mx_inst in;
		isa->decode(code + i, n - i, (uint32_t)(4 * i), &in);
		if (in.op) {
			look_for_modes(&l, &in);
			add_site(&l, &in, 4 * i);
		}
		i += in.size ? in.size / 4 : 1;
	}
	for (size_t i = 0; i < l.n_mutants; i++)
		l.mutants[i].has_rule = l.mutants[i].kind == MX_WEAKER_ALU_WAIT && l.expert;
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

/* ---- the original ---- */

/* The kind of a note that the emulator's findings gave, or MX_FINDINGS. */
static mx_finding_kind kind_of(const struct mx_note *n) {
	mx_finding_kind k = 0;
	while (k < MX_FINDINGS && strcmp(mx_finding_name(k), n->kind))
		k++;
	return k;
}

/* Wrong numbers, a fault or a time-out in a verdict, or NULL. Findings of the emulator that do not
 * stop the launch are compared by themselves. */
static const struct mx_note *failure_in(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++) {
		const struct mx_note *n = &v->notes[i];
		mx_finding_kind k = kind_of(n);
		bool stops = k == MX_FINDINGS || mx_finding_class_of(k) == MX_FINDING_DEVICE;
		if (n->severity > MX_NOT_WRONG && stops)
			return n;
	}
	return NULL;
}

/* Findings by which mutants are judged: notes only of wait states, which a mutation may cause. */
static bool counts(const struct mx_finding *f) {
	return mx_finding_class_of(f->kind) != MX_FINDING_NOTE || f->kind == MX_WAIT_STATES_NOTE;
}

static unsigned lacks(const struct mx_finding *f) {
	return f->hazard.needed > f->hazard.states ? f->hazard.needed - f->hazard.states : 0;
}

/* A finding that lacks more wait states than that of the original is new. A launch keeps a few
 * earlier instructions for a pc, which depend on the schedule; so many at one pc stand for all. */
static bool is_known(const struct mx_original *o, unsigned step, const struct mx_finding *f) {
	enum { ALL = 4 };
	unsigned causes = 0;
	bool fewer = false;
	for (size_t i = 0; i < o->n_known; i++)
		if (o->known[i].step == step && o->known[i].kind == f->kind &&
		    o->known[i].pc == f->pc) {
			causes++;
			if (o->known[i].earlier != f->earlier)
				continue;
			if (lacks(f) <= o->known[i].lacks)
				return true;
			fewer = true;
		}
	return causes >= ALL && !fewer;
}

static int keep_finding(struct mx_original *o, unsigned step, const struct mx_finding *f,
                        struct mx_error *err) {
	if (o->n_known == o->room) {
		size_t room = o->room ? 2 * o->room : 64;
		struct mx_known *more = realloc(o->known, room * sizeof *more);
		if (!more)
			return mx_fail(err, "out of memory");
		o->known = more;
		o->room = room;
	}
	o->known[o->n_known++] = (struct mx_known){ step, f->kind, f->pc, f->earlier, lacks(f) };
	o->n_findings += mx_finding_class_of(f->kind) != MX_FINDING_NOTE;
	return 0;
}

static int keep_findings(const struct mx_bench *b, struct mx_original *o, struct mx_error *err) {
	int status = 0;
	for (unsigned k = 0; k < mx_bench_plan(b)->n_steps; k++) {
		const struct mx_report *r = mx_bench_report(b, k);
		unsigned step = mx_bench_first_of(b, k);
		for (size_t i = 0; !status && i < r->n_findings; i++)
			if (counts(&r->findings[i]) && !is_known(o, step, &r->findings[i]))
				status = keep_finding(o, step, &r->findings[i], err);
	}
	return status;
}

void mx_original_free(struct mx_original *o) {
	free(o->known);
	*o = (struct mx_original){ 0 };
}

static int fails_itself(const struct mx_bench *b, uint64_t seed, const char *why,
                        struct mx_error *err) {
	return mx_fail(err, "%s: the kernel itself fails under seed %" PRIu64 ": %s",
	               mx_bench_plan(b)->name, seed, why);
}

/* Wrong or other bytes: a consequence of findings, if there are any. */
static int note_bytes(const struct mx_bench *b, uint64_t seed, const struct mx_note *wrong,
                      struct mx_original *o, struct mx_error *err) {
	o->varies = o->n_findings != 0;
	return o->varies ? 0 : fails_itself(b, seed, wrong ? wrong->text : "schedules differ", err);
}

/* The first run is judged; the others must leave the same bytes. */
static int try_original(struct mx_bench *b, uint64_t seed, bool first, struct mx_original *o,
                        struct mx_error *err) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_bench_run(b, seed, &r, err) || (first && mx_bench_judge(b, &r, &v, err)))
		return -1;
	mx_bench_device_findings(b, &v);
	const struct mx_note *wrong = failure_in(&v);
	if (wrong && wrong->severity == MX_WRONG_DEVICE)
		return fails_itself(b, seed, wrong->text, err);
	if (r.failed)
		return fails_itself(b, seed, r.failure, err);
	o->seconds = fmax(o->seconds, r.seconds);
	if (keep_findings(b, o, err))
		return -1;
	if (wrong || (mx_bench_hash(b) != o->hash && !is_legal(b, &r)))
		return note_bytes(b, seed, wrong, o, err);
	return 0;
}

int mx_original_run(struct mx_bench *b, struct mx_site *sites, size_t n,
                    const struct mx_trials *trials, struct mx_original *o, struct mx_error *err) {
	if (mx_margin_watch(b, sites, n, err) || mx_sites_watch(b, sites, n, &o->hash, err))
		return -1;
	for (unsigned i = 0; i <= trials->schedules; i++)
		if (try_original(b, trials->seed + i, i == 0, o, err))
			return -1;
	return 0;
}

/* ---- a mutant ---- */

struct trial {
	struct mx_bench *b;
	const struct mx_original *original;
	struct mx_mutant_end *end;
	struct mx_error *err;
	bool proved; /* the judged run left the bytes of the original, and so does every other */
};

static void set_text(struct mx_mutant_end *end, const char *by, const char *text) {
	snprintf(end->by, sizeof end->by, "%.39s", by);
	snprintf(end->text, sizeof end->text, "%.*s", (int)sizeof end->text - 1, text);
}

static void flag(struct mx_mutant_end *end, const char *by, const char *text) {
	end->flagged = true;
	set_text(end, by, text);
}

/* Flags the first finding of a step that the original lacks. A note of wait states, which one
 * source requires, is kept apart. */
static void look_in_step(struct trial *t, unsigned step) {
	const struct mx_report *r = mx_bench_report(t->b, step);
	unsigned first = mx_bench_first_of(t->b, step);
	char text[sizeof t->end->text];
	for (size_t i = 0; !t->end->flagged && i < r->n_findings; i++) {
		const struct mx_finding *f = &r->findings[i];
		bool note = mx_finding_class_of(f->kind) == MX_FINDING_NOTE;
		if (!counts(f) || is_known(t->original, first, f) || (note && t->end->noted))
			continue;
		mx_finding_text(r, f, text, sizeof text);
		if (note)
			set_text(t->end, mx_finding_name(f->kind), text);
		else
			flag(t->end, mx_finding_name(f->kind), text);
		t->end->noted |= note;
	}
}

static void look_for_findings(struct trial *t) {
	for (unsigned i = 0; i < mx_bench_plan(t->b)->n_steps; i++)
		look_in_step(t, i);
}

/* Flags findings, and bytes that differ from the original. */
static void compare(struct trial *t, const struct mx_run_result *r, const char *by,
                    const char *text) {
	look_for_findings(t);
	if (t->end->flagged)
		return;
	if (r->failed)
		flag(t->end, "fault", r->failure);
	else if (!t->original->varies && mx_bench_hash(t->b) != t->original->hash &&
	         !is_legal(t->b, r))
		flag(t->end, by, text);
}

static int judge(struct trial *t, uint64_t seed) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	if (mx_bench_run(t->b, seed, &r, t->err) || mx_bench_judge(t->b, &r, &v, t->err))
		return -1;
	look_for_findings(t);
	const struct mx_note *wrong = failure_in(&v);
	bool judged = wrong && (!t->original->varies || wrong->severity == MX_WRONG_DEVICE);
	if (!t->end->flagged && judged)
		flag(t->end, wrong->kind, wrong->text);
	mx_bench_order(t->b, &v);
	if (t->end->flagged || t->original->varies || v.proof.outcome != MX_PROVED)
		return 0;
	compare(t, &r, "proved order", "other bytes than the original");
	t->proved = !t->end->flagged;
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

static int random_schedules(struct trial *t, const struct mx_trials *trials) {
	for (unsigned i = 1; !t->end->flagged && i <= trials->schedules; i++) {
		struct mx_run_result r;
		if (mx_bench_run(t->b, trials->seed + i, &r, t->err))
			return -1;
		compare(t, &r, "random schedule", "other bytes than the original");
	}
	return 0;
}

/* Another schedule shows what the proof excludes. */
static void deny_proof(struct mx_mutant_end *end) {
	char text[sizeof end->text];
	snprintf(text, sizeof text, "a defect of mxcheck, for the order was proved: %s: %.*s",
	         end->by, (int)sizeof text - 120, end->text);
	set_text(end, "wrong proof", text);
	end->disproved = true;
}

int mx_mutant_run(struct mx_bench *b, const struct mx_site *site, const struct mx_mutant *m,
                  const struct mx_original *original, const struct mx_trials *trials,
                  struct mx_mutant_end *end, struct mx_error *err) {
	struct trial t = { b, original, end, err, .proved = false };
	unsigned waves = mx_bench_waves(b, site->step);
	mx_bench_time_out(b, fmax(MX_LEAST_SECONDS, MX_SEQUENTIAL_RUNS * original->seconds));
	if (judge(&t, trials->seed))
		return -1;
	if (t.proved && !trials->past_proof)
		return 0;
	if (random_schedules(&t, trials))
		return -1;
	if (!end->flagged && !mx_has_rules_alone(m->kind) && extremes(&t, site, waves ? waves : 1))
		return -1;
	if (t.proved && end->flagged)
		deny_proof(end);
	return 0;
}
