/* The race detector on random programs under many schedules. A proved launch leaves the same bytes
 * under every schedule. Findings do not depend on the schedule that was analysed. Enough programs
 * with findings leave other bytes under some schedule, so findings are not only patterns.
 *
 *   proof_test.t SEED         this program, and its verdict
 *   proof_test.t SEED COUNT   COUNT programs from this one on */
#include "proof_program.h"

#include "../../ref/isa/encoding/disasm.h"

static uint8_t initial[USED], first[USED];

/* ---- running ---- */

struct verdict {
	bool clean, races, proved;
	char order[400];
	char finding[512];
};

static struct machine the_machine(const struct program *p) {
	struct machine m = machine();
	whole.size = USED;
	m.kernel.lds_bytes = LDS_BYTES + FLAG_BYTES;
	m.kernel.scratch_bytes = 16;
	m.launch.block[0] = 64 * p->waves;
	m.launch.grid[0] = p->groups;
	m.launch.scratch_apart = p->scratch_apart;
	return m;
}

static void run_program(struct machine *m, const struct program *p) {
	memcpy(arena, initial, USED);
	memset(state, ALL_WRITTEN, USED);
	run_bytes(m, p->dwords, 4 * p->n);
	if (m->report.stopped)
		show_findings(m);
	need(m->ran && !m->report.stopped, "a program runs to its end");
}

static struct verdict watch(const struct program *p, uint64_t seed) {
	struct machine m = the_machine(p);
	struct verdict v = { 0 };
	m.launch.analysis = MX_ANALYSE_ORDER;
	m.launch.seed = seed;
	run_program(&m, p);
	v.clean = only_notes(&m);
	for (size_t i = 0; i < m.report.n_findings; i++) {
		mx_finding_kind kind = m.report.findings[i].kind;
		v.races |=
			kind == MX_RACE_LDS || kind == MX_RACE_GLOBAL || kind == MX_RACE_REGISTER;
	}
	v.proved = !strncmp(m.report.order, "proved", 6);
	memcpy(v.order, m.report.order, sizeof v.order);
	if (!v.clean)
		snprintf(v.finding, sizeof v.finding, "%s", m.report.findings[0].text);
	mx_report_free(&m.report);
	return v;
}

/* All operations are early or all are late, except for one instruction. */
static struct mx_schedule outright(const struct program *p, uint64_t *random) {
	struct mx_schedule s = { .pattern = (uint8_t)next_random(random),
		                 .late = next_random(random) & 1,
		                 .patient = next_random(random) & 1,
		                 .first_wave = (uint32_t)(next_random(random) % p->waves),
		                 .order = (uint32_t)(next_random(random) % (p->groups + 1)),
		                 .slice = next_random(random) & 1 ? 0
		                                                  : 1u << next_random(random) % 6,
		                 .odd = UINT64_MAX };
	if (p->through == GRID && !s.slice)
		s.slice = 1; /* workgroups that wait for each other need turns */
	if (p->instructions && next_random(random) % 4)
		s.odd = 4 * p->at[next_random(random) % p->instructions];
	return s;
}

/* Schedule i: from a seed, or explicit. */
static void run_schedule(const struct program *p, uint64_t i) {
	struct machine m = the_machine(p);
	uint64_t random = i;
	struct mx_schedule s = outright(p, &random);
	m.launch.seed = i;
	m.launch.schedule = i & 1 || p->through == GRID ? &s : NULL;
	run_program(&m, p);
	mx_report_free(&m.report);
}

/* The first byte in which one of `n` schedules differs from the first, or -1. */
static long differs(const struct program *p, unsigned n, unsigned *schedule) {
	for (unsigned i = 0; i < n; i++) {
		run_schedule(p, i);
		if (!i)
			memcpy(first, arena, USED);
		else if (memcmp(first, arena, USED)) {
			long at = 0;
			while (first[at] == arena[at])
				at++;
			*schedule = i;
			return at;
		}
	}
	return -1;
}

/* ---- judging ---- */

typedef enum { RIGHT, UNSOUND, UNSTEADY, ACCUSED, JUDGEMENTS } judgement;

struct judged {
	judgement judgement;
	struct verdict verdict, other;
	bool differs;
	unsigned schedule;
	long at;
};

/* The accesses that flags order depend on the order in which waves read them, and nothing is
 * proved. */
static bool same_verdict(const struct program *p, const struct verdict *a,
                         const struct verdict *b) {
	return p->rmw || (a->clean == b->clean && a->proved == b->proved);
}

/* Whether the program has no missing synchronisation: neither between workgroups that share a part,
 * nor between waves that store different values to one place. */
static bool is_right_throughout(const struct program *p) {
	return !p->weak && !p->loose && !p->same_values && (!p->groups_share || p->through == GRID);
}

/* Runs `schedules` schedules, some of them with the race detector. */
static struct judged judge(const struct program *p, unsigned schedules) {
	struct judged j = { .verdict = watch(p, 1) };
	if (is_right_throughout(p) && j.verdict.races) {
		j.judgement = ACCUSED;
		return j;
	}
	for (uint64_t seed = 2; seed < 3 + schedules / 12; seed++) {
		j.other = watch(p, seed);
		if (!same_verdict(p, &j.verdict, &j.other)) {
			j.judgement = UNSTEADY;
			return j;
		}
	}
	j.at = differs(p, schedules, &j.schedule);
	j.differs = j.at >= 0;
	if (j.differs && j.verdict.proved)
		j.judgement = UNSOUND;
	return j;
}

/* ---- shrinking ---- */

static void leave_out(struct program *p, unsigned i) {
	for (unsigned k = p->at[i]; k < p->at[i + 1]; k++)
		p->dwords[k] = one_nop[0];
}

/* A loop without one of its parts may not end. */
static bool is_of_loop(uint32_t dword) {
	return dword == twice[0] || dword == again[0] || dword == again[1] ||
	       dword >> 16 == again[2] >> 16;
}

/* Removes instructions that the judgement does not need. */
static void shorten(struct program *p, unsigned schedules, judgement same) {
	for (unsigned i = 0; i < p->instructions; i++) {
		struct program less = *p;
		if (p->kept[i] || is_of_loop(p->dwords[p->at[i]]))
			continue;
		leave_out(&less, i);
		if (judge(&less, schedules).judgement == same)
			*p = less;
	}
}

static void show_program(const struct program *p) {
	diag("%u waves, %u workgroups", p->waves, p->groups);
	for (unsigned i = 0; i < p->instructions; i++) {
		char text[200];
		unsigned at = p->at[i];
		if (p->dwords[at] == one_nop[0])
			continue;
		mx_disassemble(p->dwords + at, p->at[i + 1] - at, 0, text, sizeof text);
		diag("+0x%03x %s", 4 * at, text);
	}
}

static void show(const struct judged *j) {
	diag("one analysis: %s; %s", j->verdict.order, j->verdict.finding);
	if (j->judgement == UNSTEADY)
		diag("another: %s; %s", j->other.order, j->other.finding);
	if (j->differs)
		diag("schedules 0 and %u differ first at byte 0x%lx", j->schedule,
		     (unsigned long)j->at);
}

/* ---- many programs ---- */

struct count {
	unsigned judgement[JUDGEMENTS], clean, proved, found, found_differ;
};

static void explain(uint64_t seed, unsigned schedules, judgement same) {
	static struct program p;
	make_program(&p, seed);
	diag("program %llu", (unsigned long long)seed);
	if (same != ACCUSED) /* shrinking would remove required waits */
		shorten(&p, schedules, same);
	struct judged j = judge(&p, schedules);
	show_program(&p);
	show(&j);
}

static void try_programs(uint64_t seed, uint64_t n, unsigned schedules, bool talk,
                         struct count *c) {
	static struct program p;
	for (; n--; seed++) {
		make_program(&p, seed);
		struct judged j = judge(&p, schedules);
		bool findings = !j.verdict.clean;
		c->judgement[j.judgement]++;
		c->clean += j.verdict.clean;
		c->proved += j.verdict.proved;
		c->found += findings;
		c->found_differ += findings && j.differs;
		if (j.judgement && c->judgement[j.judgement] <= 3)
			explain(seed, schedules, j.judgement);
		else if (talk)
			diag("%llu %s %s: %s %s", (unsigned long long)seed,
			     findings ? "found" : "clean", j.differs ? "differs" : "same",
			     j.verdict.order, j.verdict.finding);
	}
}

static void show_one(uint64_t seed) {
	static struct program p;
	make_program(&p, seed);
	show_program(&p);
}

int main(int argc, char **argv) {
	bool talk = argc > 1, longer = !talk && is_long();
	uint64_t seed = talk ? strtoull(argv[1], NULL, 0) : 1, random = 1;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : talk ? 1 : longer ? 1200 : 200;
	struct count c = { 0 };
	for (unsigned i = 0; i < USED; i++)
		initial[i] = (uint8_t)next_random(&random);
	memset(initial + GRID_FLAGS, 0, 64 * 4);
	memset(initial + OUTPUTS, 0xee, USED - OUTPUTS);
	try_programs(seed, n, longer || talk ? 60 : 20, talk, &c);
	ok(!c.judgement[UNSOUND], "a proved launch leaves the same bytes under every schedule");
	ok(!c.judgement[UNSTEADY], "findings do not depend on the schedule");
	ok(!c.judgement[ACCUSED], "programs with all synchronisation have no race");
	diag("%u of %llu programs have findings, %u of these leave other bytes; %u are proved",
	     c.found, (unsigned long long)n, c.found_differ, c.proved);
	if (argc == 2)
		show_one(seed);
	if (talk)
		return done_testing();
	ok(c.clean > n / 5 && c.found > n / 5, "both verdicts are common");
	ok(c.proved > n / 10, "proofs are common");
	ok(c.found_differ > c.found / 2, "most findings change a result");
	return done_testing();
}
