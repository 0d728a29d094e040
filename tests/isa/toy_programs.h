/* Programs of the instruction set with waves of 32 of toy_set.h, under many schedules. */
#ifndef TOY_PROGRAMS_H
#define TOY_PROGRAMS_H

#include "toy_set.h"

#define T_OP(opcode, d, a, b) (0xe0000000 | (opcode) << 24 | (d) << 16 | (a) << 8 | (b))
#define T_SHL2(d, a)          T_OP(SHL2, d, a, 0)
#define T_LDS_STORE(data, at) T_OP(LDS_STORE, data, at, 0)
#define T_LDS_LOAD(d, at)     T_OP(LDS_LOAD, d, at, 0)
#define T_WAIT(counter, n)    T_OP(WAIT, 0, counter, n)
#define T_WAIT_LDS            T_WAIT(LDS, 0)
#define T_SIGNAL(barrier)     T_OP(SIGNAL, 0, barrier, 0)
#define T_AWAIT(barrier)      T_OP(AWAIT, 0, barrier, 0)
#define T_EXPECT(barrier, n)  T_OP(EXPECT, 0, barrier, n)
#define T_JOIN(barrier)       T_OP(JOIN, 0, barrier, 0)
#define T_ONLY(wave, n)       T_OP(OTHERS, 0, wave, n) /* the next n are for one wave */
#define T_END                 T_OP(END, 0, 0, 0)
#define LANE_ADDRESS          T_OP(LANE, 2, 0, 0), T_SHL2(2, 2) /* v2 */
#define ITEM_ADDRESS          T_SHL2(1, 0)                      /* v1 */
#define T_LOAD(d, at)         T_OP(LOAD, d, at, 0)
#define T_STORE(data, at)     T_OP(STORE, data, at, 0)
#define T_COPY_IN(lds, at)    T_OP(COPY_IN, lds, at, 0)
#define T_COPY_OUT(lds, at)   T_OP(COPY_OUT, lds, at, 0)
#define T_ADD(d, a, b)        T_OP(ADD, d, a, b)
#define T_WAVE_SIZE(d)        T_OP(COPY, d, 0, 0)
#define T_TILE_IN(lds, at)    T_OP(TILE_IN, lds, at, 0)
#define T_TILE_OUT(lds, at)   T_OP(TILE_OUT, lds, at, 0)
#define T_EXEC(lanes)         T_OP(EXEC, 0, (lanes) >> 8, (lanes)&255)

enum { ITEMS = 64, SEEDS = 64, LDS_BYTES = 1024 };

/* Waves of 32; v0 is the work-item. */
static unsigned items = ITEMS, groups = 1;
static const struct mx_schedule *schedule; /* NULL: that of the seed */
static int unwritten = -1;                 /* a byte of device memory, or -1 */
static bool lane_by_lane;

static inline bool is_race(const struct machine *m) {
	return m->report.n_findings && m->report.findings->kind == MX_RACE_LDS;
}
static inline bool is_fine(const struct machine *m) {
	return !m->report.n_findings;
}

/* Device memory begins with the offset of each dword. The result is valid until the next run. */
static inline const struct machine *run_seed(const uint32_t *code, size_t bytes, uint64_t seed) {
	static struct machine m;
	struct mx_program *p = mx_program_new(&toy32, code, bytes, (uintptr_t)code);
	mx_report_free(&m.report);
	m = ready(p, code);
	m.launch.block[0] = items;
	m.launch.grid[0] = groups;
	m.launch.seed = seed;
	m.launch.schedule = schedule;
	m.launch.lane_by_lane = lane_by_lane;
	m.kernel.lds_bytes = LDS_BYTES;
	fill_arena(0);
	for (uint32_t at = 0; at < LDS_BYTES; at += 4)
		put(at, at);
	if (unwritten >= 0)
		state[unwritten] = 0;
	run(&m);
	mx_program_free(p);
	return &m;
}

/* Runs under many schedules; the result is that of the last, or of the first that is not so. */
static inline const struct machine *run_often(const uint32_t *code, size_t bytes,
                                              bool (*is_so)(const struct machine *m)) {
	const struct machine *m = NULL;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		m = run_seed(code, bytes, seed);
		if (!m->ran || !is_so(m))
			break;
	}
	return m;
}
#define RUN_OFTEN(code) run_often(code, sizeof(code), is_fine)

static inline void races(const uint32_t *code, size_t bytes, const char *what) {
	const struct machine *m = run_often(code, bytes, is_race);
	if (!ok(is_race(m), "%s", what))
		show_findings(m);
}
#define RACES(code, what) races(code, sizeof(code), what)

static inline void ends_with(const uint32_t *code, size_t bytes, const char *words,
                             const char *what) {
	const struct machine *m = run_seed(code, bytes, 1);
	if (!ok(finding_says(m, words), "%s", what))
		show_findings(m);
}
#define ENDS_WITH(code, words, what) ends_with(code, sizeof(code), words, what)

#endif
