/* Random programs of several waves and workgroups (proof_program.h), under many schedules: waves
 * that follow what they did in an earlier launch (mx_launch.courses) leave the same memory, states,
 * findings, counts and schedules as waves that compute it. Memory changes between launches in some
 * of the programs, so that waves leave their courses; in some, versions tell which part of it.
 *
 *   course_test.t SEED ROUNDS */
#include "both_ways.h"
#include "proof_program.h"

enum { SCHEDULES = 6 };

static unsigned differ, tried;
static uint64_t followed, left;

/* The input, and the rest; each with its version. Every second program has whole memory, without
 * one. */
enum { INPUT_BYTES = 0x2000 };
static struct mx_region parts[2];
static uint64_t version[2];

static void divide_memory(struct machine *m, uint64_t seed) {
	parts[0] = parts[1] = whole;
	parts[0].size = INPUT_BYTES;
	parts[1].base += INPUT_BYTES;
	parts[1].state += INPUT_BYTES;
	parts[1].size -= INPUT_BYTES;
	version[0] = 1;
	version[1] = 2 * (seed / 2 % 2);
	if (seed % 2)
		m->launch.memory = (struct mx_memory){ parts, 2, version };
}

static void set_up(struct machine *m, const struct program *p, uint64_t seed) {
	m->kernel.lds_bytes = LDS_BYTES + FLAG_BYTES;
	m->kernel.scratch_bytes = 16;
	m->launch.block[0] = 64 * p->waves;
	m->launch.grid[0] = p->groups;
	m->launch.scratch_apart = p->scratch_apart;
	m->launch.lane_by_lane = seed % 7 == 0;
	m->launch.max_instructions = 1 << 13; /* some programs do not end */
	divide_memory(m, seed);
}

static void run_with(struct machine *m, struct mx_courses *courses, struct outcome *o) {
	memcpy(arena, initial, whole.size);
	memcpy(state, initial_state, whole.size);
	mx_schedule_free(&o->schedule);
	mx_report_free(&o->report);
	m->launch.courses = courses;
	m->launch.record = &o->schedule;
	need(mx_launch_run(&m->launch, &o->report), "memory for a launch");
	memcpy(o->arena, arena, whole.size);
	memcpy(o->state, state, whole.size);
}

static const char *compare(struct machine *m, struct mx_courses *courses) {
	struct mx_stats *a = &one_by_one.report.stats, *b = &together.report.stats;
	run_with(m, NULL, &one_by_one);
	run_with(m, courses, &together);
	followed += b->followed;
	left += b->left;
	const char *what = difference(&one_by_one, &together);
	if (!what && (a->mfma != b->mfma || memcmp(a->together, b->together, sizeof a->together)))
		what = "counts";
	return what;
}

/* The same under the schedule that was just recorded, given as deviations. */
static const char *compare_recorded(struct machine *m, struct mx_courses *courses) {
	struct mx_schedule recorded = one_by_one.schedule;
	one_by_one.schedule = (struct mx_schedule){ 0 };
	mx_schedule_sort(&recorded);
	m->launch.schedule = &recorded;
	const char *what = compare(m, courses);
	m->launch.schedule = NULL;
	mx_schedule_free(&recorded);
	return what;
}

/* Data, a state or a guard that a course may rest on. */
static void change_memory(uint64_t *random) {
	uint64_t r = next_random(random);
	uint64_t at = next_random(random) % (r / 64 % 2 ? USED : INPUT_BYTES);
	switch (r % 4) {
	case 0: initial[at] ^= 1u << r / 4 % 8; break;
	case 1: initial_state[at] ^= r / 4 % 4 ? MX_WRITTEN : MX_GUARD; break;
	default: return;
	}
	version[at >= INPUT_BYTES] += 2 * (version[at >= INPUT_BYTES] != 0);
}

static struct mx_program *load(struct machine *m, const uint32_t *code, size_t bytes) {
	struct mx_program *p = mx_program_new(&mx_gfx950, code, bytes, (uintptr_t)code);
	m->kernel.entry = (uintptr_t)code;
	m->launch.kernel = &m->kernel;
	m->launch.program = p;
	return p;
}

static void try_program(uint64_t seed) {
	static struct program p;
	struct machine m = machine();
	struct mx_courses *courses = mx_courses_new();
	uint64_t random = seed;
	make_program(&p, seed);
	whole.size = USED;
	fill_initial(&random, USED);
	memset(initial + GRID_FLAGS, 0, 64 * 4);
	memset(initial_state + GRID_FLAGS, MX_WRITTEN, 64 * 4);
	set_up(&m, &p, seed);
	struct mx_program *program = load(&m, p.dwords, 4 * p.n);
	for (unsigned i = 0; i < SCHEDULES; i++) {
		m.launch.seed = seed + i;
		const char *what = compare(&m, courses);
		if (!what && seed % 4 == 0 && i == SCHEDULES / 2)
			what = compare_recorded(&m, courses);
		tried++;
		if (what && differ++ < 5)
			diag("%s differ: program %llu, schedule %u", what, (unsigned long long)seed,
			     i);
		if (seed % 3 == 0 && i % 3)
			change_memory(&random);
	}
	mx_program_free(program);
	mx_courses_free(courses);
}

/* ---- unwritten registers ---- */

/* The first wave writes a register without a value to LDS, and has no finding; the second reads it
 * there. It differs from launch to launch, so the first wave must not do as it did before. */
static const uint32_t unwritten_to_lds[] = {
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0xd81a0000, 0x00001401, /* ds_write_b32 v1, v20 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf850007,             /* s_cbranch_scc1 7 */
	0x260402ff, 0x000000ff, /* v_and_b32_e32 v2, 0xff, v1 */
	0xd86c0000, 0x03000002, /* ds_read_b32 v3, v2 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000301, /* global_store_dword v1, v3, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static void test_unwritten(void) {
	struct machine m = machine();
	struct mx_courses *courses = mx_courses_new();
	struct mx_program *program = load(&m, unwritten_to_lds, sizeof unwritten_to_lds);
	unsigned wrong = 0;
	m.kernel.lds_bytes = 512;
	m.launch.block[0] = 128;
	memset(initial_state, MX_WRITTEN, sizeof initial_state);
	for (m.launch.seed = 1; m.launch.seed <= SCHEDULES; m.launch.seed++)
		wrong += compare(&m, courses) != NULL;
	ok(!wrong, "a wave that stores an unwritten register to LDS does not follow");
	mx_program_free(program);
	mx_courses_free(courses);
}

/* ---- versions ---- */

/* The first wave stores where the second loads, which stores what it got. */
static const uint32_t raced[] = {
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0x260402ff, 0x000000ff, /* v_and_b32_e32 v2, 0xff, v1 */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf850006,             /* s_cbranch_scc1 6 */
	0xdc508000, 0x03000002, /* global_load_dword v3, v2, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xdc708400, 0x00000301, /* global_store_dword v1, v3, s[0:1] offset:1024 */
	0xbf810000,             /* s_endpgm */
	0xdc708000, 0x00000202, /* global_store_dword v2, v2, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static void test_raced(void) {
	enum { RACES = 64 };
	struct machine m = machine();
	struct mx_courses *courses = mx_courses_new();
	struct mx_program *program = load(&m, raced, sizeof raced);
	unsigned wrong = 0;
	const uint64_t is = 1;
	uint64_t left_before = left;
	m.launch.block[0] = 128;
	m.launch.memory.version = &is;
	memset(initial, 0xa5, sizeof initial);
	memset(initial_state, MX_WRITTEN, sizeof initial_state);
	for (m.launch.seed = 1; m.launch.seed <= RACES; m.launch.seed++)
		wrong += compare(&m, courses) != NULL;
	ok(!wrong && left > left_before, "a version holds until the launch stores to the region");
	mx_program_free(program);
	mx_courses_free(courses);
}

int main(int argc, char **argv) {
	enum { ROUND = 100 };
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned rounds = rounds_of(argc, argv, 30, 5000);
	for (unsigned i = 0; i < rounds * ROUND; i++)
		try_program(seed + i);
	ok(!differ, "%u launches leave the same with kept courses and without", tried);
	ok(followed > 200 && left > 50, "in which waves follow a course to its end, and leave it");
	test_unwritten();
	test_raced();
	end_both_ways();
	return done_testing();
}
