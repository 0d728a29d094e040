/* Mutants of a kernel: their sites, and what the original does there. */
#include "../../fuzz/mutation/mutate.h"
#include "../../ref/isa/encoding/gfx950.h"
#include "../../ref/isa/encoding/instruction_set.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

enum { S_NOP = 0xbf800000, S_BARRIER = 0xbf8a0000 };

static struct mx_device *emu;
static struct mx_error err;

/* ---- the executed code of a kernel ---- */

enum { ROOM = 4096 };
struct code {
	uint32_t dwords[ROOM];
	size_t n;
};

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	(void)context, (void)workgroup, (void)wave;
	return MX_EVENT_ISSUE;
}

static void event(void *context, const struct mx_event *e) {
	struct code *c = context;
	size_t at = e->pc / 4, end = at + e->dwords;
	need(end <= ROOM, "a short kernel");
	memcpy(c->dwords + at, e->code, 4 * e->dwords);
	c->n = end > c->n ? end : c->n;
}

static struct code executed(struct mx_bench *b) {
	struct code c = { .n = 0 };
	struct mx_run_result r;
	for (size_t i = 0; i < ROOM; i++)
		c.dwords[i] = S_NOP;
	const struct mx_observer observer = { &c, wants, event };
	mx_bench_options(b)->observer = &observer;
	need(!mx_bench_run(b, 1, &r, &err), err.text);
	mx_bench_options(b)->observer = NULL;
	return c;
}
/* ---- a kernel and its sites ---- */

struct subject {
	struct mx_case *c;
	struct mx_bench *b;
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
	struct mx_original original;
	int status; /* of the runs of the original */
};

static struct subject subject(const char *file) {
	struct subject s;
	struct mx_plan plan;
	char kernels[512];
	const char *build = getenv("BUILD");
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	need(!mx_case_load(file, &s.c, &err) &&
	             !mx_plan_make(s.c, 64, 64, 512, MX_REGIME_GENERAL, &plan, &err) &&
	             !mx_bench_make(&plan, emu, NULL, kernels, 1, &s.b, &err),
	     err.text);
	mx_bench_options(s.b)->analysis = MX_ANALYSE_ORDER;
	struct code code = executed(s.b);
	need(!mx_mutants_find(&mx_gfx950, code.dwords, code.n, &s.sites, &s.n_sites, &s.mutants,
	                      &s.n_mutants),
	     "memory");
	const struct mx_trials trials = { .seed = 1, .schedules = 4 };
	s.original = (struct mx_original){ 0 };
	s.status = mx_original_run(s.b, s.sites, s.n_sites, &trials, &s.original, &err);
	return s;
}

static void end(struct subject *s) {
	free(s->sites);
	free(s->mutants);
	mx_original_free(&s->original);
	mx_bench_free(s->b);
	mx_case_free(s->c);
}

static bool is_nop(const struct mx_site *s) {
	return s->word >> 16 == S_NOP >> 16;
}

static bool is_barrier(const struct mx_site *s) {
	return s->word == S_BARRIER;
}

static void test_sites(const struct subject *s) {
	unsigned without = 0, loose = 0, pairs = 0, margin = 0, nops = 0;
	for (size_t i = 0; i < s->n_sites; i++) {
		const struct mx_site *x = &s->sites[i], *before = x - 1;
		size_t k = 0;
		while (k < s->n_mutants && s->mutants[k].site != i)
			k++;
		without += k == s->n_mutants;
		nops += is_nop(x);
		margin += is_nop(x) && x->margin;
		if (!i || !is_barrier(x) || before->pc + 4 != x->pc)
			continue;
		pairs++;
		loose += x->most[MX_COUNTER_VM] > mx_wait_of(before->word).vmcnt ||
		         x->n_guarded > x->most[MX_COUNTER_VM];
	}
	ok(s->n_sites > 5 && !without, "each of %zu sites has a mutant", s->n_sites);
	ok(pairs && !loose, "between a wait and a barrier no more is in flight than it allows");
	ok(!margin, "the %u nops that the compiler puts in have no margin", nops);
}

/* ---- proofs that a schedule denies ---- */

/* Memory that changes by itself, which a proof excludes: from launch `from` on. */
struct changes {
	unsigned launches, from;
};

static unsigned wants_writes(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct changes *c = context;
	c->launches += !workgroup[0] && !workgroup[1] && !workgroup[2] && !wave;
	return MX_EVENT_MEMORY;
}

static void change(void *context, const struct mx_event *e) {
	const struct changes *c = context;
	if (e->write && c->launches >= c->from)
		*(uint8_t *)(uintptr_t)e->address ^= 1;
}

/* What becomes of a mutant that is the original, and how many launches it takes. */
static unsigned launches_of(const struct subject *s, unsigned from, bool past_proof,
                            struct mx_mutant_end *end) {
	struct changes c = { .from = from };
	const struct mx_observer observer = { &c, wants_writes, change };
	const struct mx_mutant same = { .kind = MX_SHORTER_NOP, .site = 0 };
	const struct mx_trials trials = { .seed = 1, .schedules = 2, .past_proof = past_proof };
	*end = (struct mx_mutant_end){ 0 };
	mx_bench_options(s->b)->observer = &observer;
	need(!mx_mutant_run(s->b, s->sites, &same, &s->original, &trials, end, &err), err.text);
	mx_bench_options(s->b)->observer = NULL;
	return c.launches;
}

static void test_wrong_proof(const struct subject *s) {
	struct mx_mutant_end end;
	unsigned n = launches_of(s, 4, false, &end);
	ok(n == 1 && !end.flagged, "a mutant whose order is proved runs once");
	n = launches_of(s, 4, true, &end);
	ok(n == 3 && !end.flagged && !end.disproved,
	   "or under all schedules, which leave the same");
	n = launches_of(s, 3, true, &end);
	if (!ok(n == 3 && end.flagged && end.disproved && !strcmp(end.by, "wrong proof"),
	        "if one leaves other bytes, the proof was wrong"))
		diag("%u launches, %s: %s", n, end.by, end.text);
	ok(strstr(end.text, "a defect of mxcheck") && strstr(end.text, "random schedule"),
	   "the text says so, and what denies it");
	launches_of(s, 1, true, &end);
	ok(end.flagged && !end.disproved, "the judged run itself denies no proof");
}

/* The first and the last instruction of a kernel have mutants, too. */
static void test_ends(void) {
	static const uint32_t code[] = { S_BARRIER, S_NOP, S_BARRIER };
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants;
	need(!mx_mutants_find(&mx_gfx950, code, 3, &sites, &n_sites, &mutants, &n_mutants),
	     "memory");
	ok(n_sites >= 2 && sites[0].pc == 0 && sites[n_sites - 1].pc == 8,
	   "the first and the last instruction are sites");
	free(sites);
	free(mutants);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	struct subject s = subject("cases/gemm/mxfp4_f32.yaml");
	ok(!s.status, "a correct kernel passes before it is changed");
	test_sites(&s);
	test_wrong_proof(&s);
	end(&s);
	s = subject("cases/gemm/mxfp4_splitk4.yaml");
	ok(!s.status, "so does a kernel with atomics that leave other bytes in each run");
	end(&s);
	test_ends();
	mx_device_close(emu);
	return done_testing();
}
