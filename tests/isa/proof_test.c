/* The race detector on random programs under many schedules. A proved launch leaves the same bytes
 * under every schedule. Findings do not depend on the schedule that was analysed. Enough programs
 * with findings leave other bytes under some schedule, so findings are not only patterns.
 *
 *   proof_test.t SEED         this program, and its verdict
 *   proof_test.t SEED COUNT   COUNT programs from this one on */
#include "proof_program.h"

#include "../../ref/isa/encoding/instruction_set.h"

static uint8_t initial[USED], first[USED];

/* ---- running ---- */

struct verdict {
	bool ends, clean, races, proved;
	char order[MX_LINE_ROOM];
	char finding[MX_LINE_ROOM];
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

static bool has_no_end(const struct machine *m) {
	for (size_t i = 0; i < m->report.n_findings; i++)
		if (m->report.findings[i].kind == MX_STUCK)
			return true;
	return false;
}

/* Whether the program ends. Without a barrier it may wait for ever. */
static bool run_program(struct machine *m, const struct program *p) {
	memcpy(arena, initial, USED);
	memset(state, ALL_WRITTEN, USED);
	run_bytes(m, p->dwords, 4 * p->n);
	bool endless = has_no_end(m);
	if (m->report.stopped && !endless)
		show_findings(m);
	need(m->ran && (endless || !m->report.stopped), "nothing stops a program");
	return !endless;
}

static struct verdict watch(const struct program *p, uint64_t seed) {
	struct machine m = the_machine(p);
	struct verdict v = { 0 };
	m.launch.analysis = MX_ANALYSE_ORDER;
	m.launch.seed = seed;
	v.ends = run_program(&m, p);
	v.clean = only_notes(&m);
	for (size_t i = 0; i < m.report.n_findings; i++) {
		mx_finding_kind kind = m.report.findings[i].kind;
		v.races |= mx_finding_is_race(kind);
	}
	v.proved = m.report.proof.outcome == MX_PROVED;
	mx_proof_text(&m.report.proof, v.order, sizeof v.order);
	if (!v.clean)
		mx_finding_text(&m.report, m.report.findings, v.finding, sizeof v.finding);
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

/* Schedule i: from a seed, or explicit. Whether the program ends. */
static bool run_schedule(const struct program *p, uint64_t i) {
	struct machine m = the_machine(p);
	uint64_t random = i;
	struct mx_schedule s = outright(p, &random);
	m.launch.seed = i;
	m.launch.schedule = i & 1 || p->through == GRID ? &s : NULL;
	bool ends = run_program(&m, p);
	mx_report_free(&m.report);
	return ends;
}

/* ---- judging ---- */

typedef enum { RIGHT, UNSOUND, UNSTEADY, ACCUSED, ENDLESS, JUDGEMENTS } judgement;

struct judged {
	judgement judgement;
	struct verdict verdict, other;
	bool differs;
	unsigned schedule; /* the first schedule that differs from schedule 0, and the byte */
	long at;
};

/* Runs up to n schedules, until one leaves other bytes; false if one does not end. */
static bool compare_schedules(const struct program *p, unsigned n, struct judged *j) {
	for (unsigned i = 0; i < n && !j->differs; i++) {
		if (!run_schedule(p, i))
			return false;
		if (!i)
			memcpy(first, arena, USED);
		j->differs = memcmp(first, arena, USED) != 0;
		j->schedule = i;
	}
	while (j->differs && first[j->at] == arena[j->at])
		j->at++;
	return true;
}

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

/* Runs `schedules` schedules, some of them with the race detector, until one does not end. */
static struct judged judge(const struct program *p, unsigned schedules) {
	struct judged j = { .judgement = is_right_throughout(p) ? ACCUSED : ENDLESS,
		            .verdict = watch(p, 1) };
	if (!j.verdict.ends)
		return j;
	if (is_right_throughout(p) && j.verdict.races)
		return j;
	for (uint64_t seed = 2; seed < 3 + schedules / 12; seed++) {
		j.other = watch(p, seed);
		if (!j.other.ends)
			return j;
		if (!same_verdict(p, &j.verdict, &j.other)) {
			j.judgement = UNSTEADY;
			return j;
		}
	}
	if (compare_schedules(p, schedules, &j))
		j.judgement = j.differs && j.verdict.proved ? UNSOUND : RIGHT;
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
		mx_gfx950.disassemble(p->dwords + at, p->at[i + 1] - at, 0, text, sizeof text);
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
		if (j.judgement == ENDLESS)
			continue;
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
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : talk ? 1 : longer ? 1200 : 60;
	struct count c = { 0 };
	for (unsigned i = 0; i < USED; i++)
		initial[i] = (uint8_t)next_random(&random);
	memset(initial + GRID_FLAGS, 0, 64 * 4);
	memset(initial + OUTPUTS, 0xee, USED - OUTPUTS);
	try_programs(seed, n, longer || talk ? 60 : 20, talk, &c);
	ok(!c.judgement[UNSOUND], "a proved launch leaves the same bytes under every schedule");
	ok(!c.judgement[UNSTEADY], "findings do not depend on the schedule");
	ok(!c.judgement[ACCUSED], "programs with all synchronisation end and have no race");
	diag("%u programs do not end, and are left out", c.judgement[ENDLESS]);
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
