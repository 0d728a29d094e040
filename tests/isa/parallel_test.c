/* Workgroups of one launch on several threads: memory, states, findings, counts and proofs equal
 * those of one thread, whether or not the groups share memory, plain and analysed. */
#include "../../ref/isa/machine/claims.h"
#include "../../ref/isa/machine/journal.h"
#include "../../ref/isa/machine/pages.h"
#include "../../ref/isa/machine/wave.h"
#include "machine_test.h"

enum {
	GROUPS = 64,
	TABLE = 16 * GROUPS, /* bytes at the start of the arena: the parameters of each group */
	PLACES = 128,        /* of one dword for each of 256 work-items, from BASE on */
	BASE = 4096,
	PLACE_BYTES = 1024,
};

/* The parameters of group s2: s8 the read address, s9 the write address, s10 the number of
 * rounds, s11 what it does at its end: enum ending. */
static const uint32_t program[] = {
	0x8e038402,             /* s_lshl_b32 s3, s2, 4 */
	0x80040300,             /* s_add_u32 s4, s0, s3 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0xc00a0202, 0x00000000, /* s_load_dwordx4 s[8:11], s[4:5], 0x0 */
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x68040208,             /* v_add_u32_e32 v2, s8, v1 */
	0x68060209,             /* v_add_u32_e32 v3, s9, v1 */
	0xbe8c000a,             /* s_mov_b32 s12, s10 */
	0xdc508000, 0x04000002, /* global_load_dword v4, v2, s[0:1] */
	0xdc508000, 0x06000003, /* global_load_dword v6, v3, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x680a0d04,             /* v_add_u32_e32 v5, v4, v6 */
	0xd1fd0005, 0x00310305, /* v_lshl_add_u32 v5, v5, 1, s12 */
	0xdc708000, 0x00000503, /* global_store_dword v3, v5, s[0:1] */
	0x808c810c,             /* s_sub_u32 s12, s12, 1 */
	0xbf07800c,             /* s_cmp_lg_u32 s12, 0 */
	0xbf85fff3,             /* s_cbranch_scc1 65523 */
	0xbf07810b,             /* s_cmp_lg_u32 s11, 1 */
	0xbf850002,             /* s_cbranch_scc1 2 */
	0xc0900380, 0x00000000, /* s_memtime s[14:15] */
	0xbf07820b,             /* s_cmp_lg_u32 s11, 2 */
	0xbf850001,             /* s_cbranch_scc1 1 */
	0xb890f804,             /* s_getreg_b32 s16, hwreg(HW_REG_HW_ID) */
	0xbf07830b,             /* s_cmp_lg_u32 s11, 3 */
	0xbf850002,             /* s_cbranch_scc1 2 */
	0x7e0e0280,             /* v_mov_b32_e32 v7, 0 */
	0x7e220507,             /* v_readfirstlane_b32 s17, v7 */
	0xbf810000,             /* s_endpgm */
};

static uint32_t place(unsigned i) {
	return BASE + i * PLACE_BYTES;
}

/* To read a clock or a hardware register leaves no proof. A note: LLVM alone requires a wait state
 * there. */
enum ending { NONE, CLOCK, HARDWARE, NOTE };

static void order(unsigned group, uint32_t from, uint32_t to, uint32_t times) {
	put(16 * group, from);
	put(16 * group + 4, to);
	put(16 * group + 8, times);
	put(16 * group + 12, NONE);
}

static void end(unsigned group, enum ending how) {
	put(16 * group + 12, how);
}

/* Each group writes its own place and reads a place that no group writes. */
static void order_apart(uint64_t *random) {
	fill_arena(7);
	for (unsigned g = 0; g < GROUPS; g++)
		order(g, place(GROUPS + next_random(random) % GROUPS), place(g),
		      10 + next_random(random) % 20);
}

static unsigned any_group(uint64_t *random) {
	return next_random(random) % GROUPS;
}

static void meet_as_writers(uint64_t *random) {
	order_apart(random);
	order(any_group(random), place(GROUPS), place(any_group(random)), 20);
}

/* The first groups of a launch run before its threads start. */
static void meet_first(uint64_t *random) {
	order_apart(random);
	order(0, place(GROUPS), place(0), 20);
	order(GROUPS - 1, place(GROUPS), place(0), 20);
}

static void read_what_the_first_wrote(uint64_t *random) {
	order_apart(random);
	order(GROUPS - 1, place(0), place(GROUPS - 1), 20);
}

static void doubt_some(uint64_t *random) {
	order_apart(random);
	for (unsigned g = GROUPS / 2; g < GROUPS; g++)
		end(g, next_random(random) % 3);
}

static void outlive_turns(uint64_t *random) {
	doubt_some(random);
	put(16 * (GROUPS / 2) + 8, 31000);
	end(GROUPS / 2, CLOCK);
	end(GROUPS / 2 + 1, HARDWARE);
}

/* The first group shows which notes there are, before the threads start. */
static void note_all(uint64_t *random) {
	order_apart(random);
	for (unsigned g = 0; g < GROUPS; g++)
		end(g, NOTE);
}

static void note_some(uint64_t *random) {
	note_all(random);
	for (unsigned g = 1; g < GROUPS; g++)
		end(g, next_random(random) % 2 ? NOTE : NONE);
}

static void note_late(uint64_t *random) {
	note_some(random);
	for (unsigned g = 0; g < GROUPS / 2; g++)
		end(g, NONE);
}

static void write_what_is_read(uint64_t *random) {
	order_apart(random);
	order(any_group(random), place(GROUPS + any_group(random)),
	      place(GROUPS + any_group(random)), 20);
}

/* Two places share one dword. */
static void overlap(uint64_t *random) {
	order_apart(random);
	unsigned g = any_group(random);
	order(g, place(GROUPS), place(g) + PLACE_BYTES - 4, 20);
}

static void read_uninitialised(uint64_t *random) {
	order_apart(random);
	state[place(GROUPS + any_group(random)) + next_random(random) % PLACE_BYTES] = 0;
}

static void write_guard(uint64_t *random) {
	order_apart(random);
	state[place(any_group(random)) + next_random(random) % PLACE_BYTES] |= MX_GUARD;
}

static void fault(uint64_t *random) {
	order_apart(random);
	order(any_group(random), place(0), ARENA - 512, 20);
}

static void anything(uint64_t *random) {
	fill_arena((uint8_t)next_random(random));
	for (unsigned g = 0; g < GROUPS; g++)
		order(g, place(next_random(random) % PLACES), place(next_random(random) % PLACES),
		      1 + next_random(random) % 20);
}

/* One region, or one that every group writes and one that most groups only read. */
static void divide(struct machine *m, bool apart) {
	static struct mx_region two[2];
	two[0] = (struct mx_region){ (uintptr_t)arena, place(GROUPS), state };
	two[1] = (struct mx_region){ two[0].base + two[0].size, ARENA - two[0].size,
		                     state + two[0].size };
	m->launch.memory = apart ? (struct mx_memory){ two, 2 } : (struct mx_memory){ &whole, 1 };
}

static const struct {
	const char *sentence;
	void (*make)(uint64_t *random);
	bool slow; /* only in the long tier */
} scenes[] = {
	{ "groups that share no memory", order_apart },
	{ "two groups that write one place", meet_as_writers },
	{ "the last group writes what the first wrote", meet_first },
	{ "the last group reads what the first wrote", read_what_the_first_wrote },
	{ "groups that read clocks and hardware registers", doubt_some },
	{ "the same, where one group outlives its turn", outlive_turns, true },
	{ "groups that all have a note", note_all },
	{ "the first group and some others with a note", note_some },
	{ "a note that the first groups do not have", note_late },
	{ "a group that writes what another reads", write_what_is_read },
	{ "two groups that share one dword", overlap },
	{ "an unwritten byte", read_uninitialised },
	{ "a guard that is written", write_guard },
	{ "a group that faults", fault },
	{ "groups that read and write anywhere", anything },
};

/* The outcome of a launch. */
struct outcome {
	uint8_t arena[ARENA], state[ARENA];
	struct mx_report report;
	struct mx_touched touched;
};

static void launch(const struct mx_program *p, struct machine *m, struct outcome *o,
                   unsigned threads) {
	m->kernel.entry = (uintptr_t)program;
	m->launch.kernel = &m->kernel;
	m->launch.program = p;
	m->launch.threads = threads;
	mx_report_free(&o->report);
	mx_touched_free(&o->touched);
	m->launch.touched = &o->touched;
	m->ran = mx_launch_run(&m->launch, &o->report);
	memcpy(o->arena, arena, ARENA);
	memcpy(o->state, state, ARENA);
}

static bool same_finding(const struct mx_report *r, const struct mx_finding *a,
                         const struct mx_finding *b) {
	char one[MX_LINE_ROOM], two[MX_LINE_ROOM];
	return a->kind == b->kind && a->count == b->count && a->pc == b->pc &&
	       a->earlier == b->earlier && a->wave == b->wave && a->lane == b->lane &&
	       a->address == b->address &&
	       !memcmp(a->workgroup, b->workgroup, sizeof a->workgroup) &&
	       !strcmp(mx_finding_text(r, a, one, sizeof one),
	               mx_finding_text(r, b, two, sizeof two));
}

static bool same_proofs(const struct mx_proof *a, const struct mx_proof *b) {
	char one[MX_LINE_ROOM], two[MX_LINE_ROOM];
	return a->outcome == b->outcome && a->assumptions == b->assumptions &&
	       a->doubt == b->doubt && a->pc == b->pc && a->other_pc == b->other_pc &&
	       a->findings == b->findings && a->accesses == b->accesses &&
	       !strcmp(mx_proof_text(a, one, sizeof one), mx_proof_text(b, two, sizeof two));
}

static bool same_reports(const struct mx_report *a, const struct mx_report *b) {
	const struct mx_stats *s = &a->stats, *t = &b->stats;
	bool same = a->n_findings == b->n_findings && a->stopped == b->stopped &&
	            same_proofs(&a->proof, &b->proof) && s->instructions == t->instructions &&
	            s->mfma == t->mfma && !memcmp(s->most, t->most, sizeof s->most) &&
	            !memcmp(s->by_op, t->by_op, mx_gfx950.n_ops * sizeof *s->by_op);
	for (size_t i = 0; same && i < a->n_findings; i++)
		same = same_finding(a, &a->findings[i], &b->findings[i]);
	return same;
}

static bool same_touched(const struct mx_touched *a, const struct mx_touched *b) {
	bool same = a->n == b->n;
	for (size_t i = 0; same && i < a->n; i++)
		same = a->range[i].from == b->range[i].from && a->range[i].to == b->range[i].to &&
		       a->range[i].how == b->range[i].how;
	return same;
}

static bool same(const struct outcome *a, const struct outcome *b) {
	return !memcmp(a->arena, b->arena, ARENA) && !memcmp(a->state, b->state, ARENA) &&
	       same_reports(&a->report, &b->report) && same_touched(&a->touched, &b->touched);
}

/* A program stores that its groups shared memory, so each launch has a new program. */
static bool same_on_threads(struct machine *m, uint64_t seed, void (*make)(uint64_t *)) {
	static struct outcome one, many;
	bool all = true;
	for (unsigned threads = 1; all && threads <= 4; threads *= 2) {
		struct mx_program *p =
			mx_program_new(&mx_gfx950, program, sizeof program, (uintptr_t)program);
		uint64_t random = seed;
		make(&random);
		launch(p, m, threads == 1 ? &one : &many, threads);
		all = m->ran && (threads == 1 || same(&one, &many));
		mx_program_free(p);
	}
	if (!all)
		diag("seed %llu: %u threads, %zu findings and %llu instructions; one: %zu and %llu",
		     (unsigned long long)seed, m->launch.threads, many.report.n_findings,
		     (unsigned long long)many.report.stats.instructions, one.report.n_findings,
		     (unsigned long long)one.report.stats.instructions);
	return all;
}

/* ---- the shadow alone ---- */

/* A launch of which a thread of ours claims. */
struct claimant {
	struct machine m;
	atomic_bool abort, met, surprise;
	struct mx_worker worker;
	struct mx_run run;
	struct mx_group group;
	struct mx_wave wave;
};

static void begin_launch(struct claimant *c, uint64_t groups) {
	*c = (struct claimant){ .m = machine() };
	c->run = (struct mx_run){ .launch = &c->m.launch };
	c->worker = (struct mx_worker){ .shadow = mx_shadow_new(&c->run, groups),
		                        .journal = mx_journal_new(),
		                        .abort = &c->abort,
		                        .conflict = &c->met,
		                        .surprise = &c->surprise };
	c->run.worker = &c->worker;
	c->group.run = &c->run;
	c->wave.group = &c->group;
}

static void begin(struct claimant *c) {
	begin_launch(c, GROUPS);
}

static void finish(struct claimant *c) {
	mx_journal_free(c->worker.journal);
	mx_shadow_free(c->worker.shadow);
}

/* A step: this group reads or writes this many bytes from a place of the arena. */
struct touch {
	unsigned group;
	char what; /* 'r', 'w' */
	unsigned at, bytes;
};

static bool claim(struct claimant *c, const struct touch *t) {
	c->group.index = t->group;
	return mx_shadow_claim(&c->wave, 0, t->at, t->bytes, t->what == 'w');
}

/* Whether the last of several steps is permitted, and all before it. */
static bool let_through(const struct touch *t, size_t n, bool *earlier) {
	struct claimant c;
	bool last = false;
	begin(&c);
	*earlier = true;
	for (size_t i = 0; i < n; i++) {
		last = claim(&c, &t[i]);
		*earlier &= i == n - 1 || last;
	}
	*earlier &= last != (c.met && c.abort && c.run.aborted);
	finish(&c);
	return last;
}

/* The groups that have read and written a dword: a bit each. */
struct owners {
	unsigned readers, writers;
};

static bool model_permits(struct owners *o, const struct touch *t) {
	bool good = true;
	for (unsigned i = t->at / 4; i <= (t->at + t->bytes - 1) / 4; i++) {
		unsigned others = ~(1u << t->group);
		good &= !(o[i].writers & others);
		good &= t->what == 'r' || !(o[i].readers & others);
		*(t->what == 'r' ? &o[i].readers : &o[i].writers) |= 1u << t->group;
	}
	return good;
}

/* Random steps of four groups, until two of them conflict. Groups mostly keep to their own dwords,
 * or to those that all read. */
static bool same_as_model(uint64_t seed, unsigned *steps) {
	struct owners owners[80] = { { 0 } };
	struct claimant c;
	bool same = true, good = true;
	begin(&c);
	while (good && same) {
		uint64_t r = next_random(&seed);
		struct touch t = { r % 4, r >> 8 & 1 ? 'r' : 'w', r >> 16 & 255,
			           1 + (r >> 24) % 16 };
		if (r >> 32 & 31) {
			t.at = t.what == 'r' && r >> 40 & 1 ? 256 : (t.at & ~12u) | t.group << 2;
			t.bytes = 4 - t.at % 4;
		}
		good = model_permits(owners, &t);
		same = claim(&c, &t) == good;
		++*steps;
	}
	finish(&c);
	return same;
}

static void test_random_claims(void) {
	unsigned wrong = 0, steps = 0;
	for (uint64_t seed = 0; seed < 500; seed++)
		wrong += !same_as_model(seed, &steps);
	ok(!wrong && steps > 5000, "%u random claims are as in a simple model", steps);
}

static void test_claims(void) {
	static const struct {
		const char *sentence;
		size_t n;
		struct touch t[4];
		bool good;
	} rows[] = {
		{ "many read", 3, { { 0, 'r', 8, 4 }, { 1, 'r', 8, 4 }, { 2, 'r', 8, 4 } }, true },
		{ "one writes bytes that it read",
		  2,
		  { { 5, 'r', 8, 4 }, { 5, 'w', 8, 4 } },
		  true },
		{ "one reads bytes that it wrote",
		  3,
		  { { 5, 'w', 8, 4 }, { 5, 'w', 8, 4 }, { 5, 'r', 8, 4 } },
		  true },
		{ "two write", 2, { { 0, 'w', 8, 4 }, { 1, 'w', 8, 4 } }, false },
		{ "one reads bytes that another wrote",
		  2,
		  { { 0, 'w', 8, 4 }, { 1, 'r', 8, 4 } },
		  false },
		{ "the same, after it read them first",
		  3,
		  { { 0, 'r', 8, 4 }, { 0, 'w', 8, 4 }, { 1, 'r', 8, 4 } },
		  false },
		{ "one writes bytes that another read",
		  2,
		  { { 0, 'r', 8, 4 }, { 1, 'w', 8, 4 } },
		  false },
		{ "one of two readers writes",
		  3,
		  { { 0, 'r', 8, 4 }, { 1, 'r', 8, 4 }, { 1, 'w', 8, 4 } },
		  false },
		{ "bytes of one dword are written",
		  2,
		  { { 0, 'w', 8, 1 }, { 1, 'w', 11, 1 } },
		  false },
		{ "neighbouring dwords are written",
		  2,
		  { { 0, 'w', 8, 4 }, { 1, 'w', 12, 4 } },
		  true },
		{ "an unaligned word overlaps the word of another",
		  2,
		  { { 0, 'w', 12, 4 }, { 1, 'r', 9, 4 } },
		  false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool earlier, last = let_through(rows[i].t, rows[i].n, &earlier);
		ok(earlier && last == rows[i].good, "%s: %s", rows[i].sentence,
		   rows[i].good ? "goes on" : "stops before it happens");
	}
}

/* Launches of so many groups that their numbers are used up. */
static void test_many_groups(void) {
	static const struct touch steps[] = { { 1 << 29, 'w', 8, 4 },
		                              { 1 << 29, 'r', 8, 4 },
		                              { 0, 'r', 8, 4 } };
	unsigned right = 0;
	for (unsigned i = 0; i < 6; i++) {
		struct claimant c;
		begin_launch(&c, 1 << 30);
		right += claim(&c, &steps[0]) && claim(&c, &steps[1]) && !claim(&c, &steps[2]);
		finish(&c);
	}
	ok(right == 6, "launches of 2^30 groups, one after the other");
}

/* A region that nothing has written: any group may read it, and a write is a surprise. */
static void test_only_read(void) {
	struct claimant c = { .m = machine() };
	struct mx_pages *pages = mx_pages_new(1);
	begin(&c);
	mx_shadow_free(c.worker.shadow);
	c.run.pages = pages;
	c.worker.shadow = mx_shadow_new(&c.run, GROUPS);
	bool reads = claim(&c, &(struct touch){ 0, 'r', 8, 4 }) &&
	             claim(&c, &(struct touch){ 1, 'r', 8, 4 });
	bool write = claim(&c, &(struct touch){ 0, 'w', 800, 4 });
	ok(reads && !write && c.surprise && c.abort && !c.met,
	   "a write to a region that counts as only read stops before it happens");
	mx_pages_free(pages, 1);
	finish(&c);
}

/* All dwords of a line are equal, and the states of a dword's bytes differ. */
static void test_journal_states(void) {
	struct claimant c;
	unsigned wrong = 0;
	begin(&c);
	fill_arena(3);
	for (unsigned i = 0; i < 64; i++)
		state[i] = i % 4 == 1 ? 0 : MX_WRITTEN;
	claim(&c, &(struct touch){ 0, 'w', 0, 64 });
	memset(state, MX_WRITTEN, 64);
	mx_journal_undo(c.worker.journal, &c.m.launch.memory);
	for (unsigned i = 0; i < 64; i++)
		wrong += state[i] != (i % 4 == 1 ? 0 : MX_WRITTEN);
	ok(!wrong, "states are undone byte by byte");
	finish(&c);
}

static void test_journal(void) {
	struct claimant c;
	unsigned wrong = 0;
	begin(&c);
	fill_arena(3);
	state[101] = 0;
	arena[5000] = 7;
	for (unsigned twice = 0; twice < 2; twice++) {
		claim(&c, &(struct touch){ 0, 'w', 100, 40000 });
		memset(arena + 100, 9 + twice, 40000);
		memset(state + 100, twice ? MX_WRITTEN : 0, 40000);
	}
	mx_journal_undo(c.worker.journal, &c.m.launch.memory);
	for (unsigned i = 0; i < ARENA; i++)
		wrong += arena[i] != (i == 5000 ? 7 : 3) || state[i] != (i == 101 ? 0 : MX_WRITTEN);
	ok(!wrong, "all writes are undone, bytes and states");
	finish(&c);
}

/* The end of a region, in the middle of a dword. */
static void test_journal_end(void) {
	struct claimant c;
	begin(&c);
	fill_arena(3);
	whole.size = 1001;
	claim(&c, &(struct touch){ 0, 'w', 996, 5 });
	memset(arena + 996, 1, 8);
	mx_journal_undo(c.worker.journal, &c.m.launch.memory);
	ok(arena[996] == 3 && arena[1000] == 3 && arena[1001] == 1,
	   "the last bytes of a region are undone, none after them");
	whole.size = ARENA;
	finish(&c);
}

static void test_scene(struct machine *m, unsigned i) {
	static const unsigned analyses[] = { 0, MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES };
	unsigned seeds = is_long() && !scenes[i].slow ? 500 : 2;
	for (unsigned a = 0; a < 2; a++) {
		unsigned good = 0;
		m->launch.analysis = analyses[a];
		for (m->launch.seed = 0; m->launch.seed < seeds; m->launch.seed++) {
			divide(m, m->launch.seed % 2);
			good += same_on_threads(m, 1000 * i + m->launch.seed, scenes[i].make);
		}
		ok(good == seeds, "%s, %s: 1, 2 and 4 threads leave the same, %u seeds",
		   scenes[i].sentence, a ? "analysed" : "plain", seeds);
	}
}

int main(void) {
	struct machine m = machine();
	test_claims();
	test_random_claims();
	test_many_groups();
	test_journal();
	test_journal_end();
	test_journal_states();
	test_only_read();
	m.launch.grid[0] = GROUPS;
	m.launch.block[0] = 256;
	for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
		if (is_long() || !scenes[i].slow)
			test_scene(&m, i);
	return done_testing();
}
