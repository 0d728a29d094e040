/* Every schedule is fair: one wave works and waits for memory repeatedly, while the others spin
 * until it sets a flag. */
#include "machine_test.h"

enum {
	ROUNDS = 20, /* loads that the working wave waits for */
	FLAG = 0,
	LIMIT = 1 << 20, /* instructions of any wave */
};

/* s4: the number of this wave; s3: the number of the working wave. */
static const uint32_t start[] = {
	0x20000086,             /* v_lshrrev_b32_e32 v0, 6, v0 */
	0xbf800000,             /* s_nop 0 */
	0x7e080500,             /* v_readfirstlane_b32 s4, v0 */
	0x7e000280,             /* v_mov_b32_e32 v0, 0 */
	0x7e040281,             /* v_mov_b32_e32 v2, 1 */
	0xbefe0181,             /* s_mov_b64 exec, 1 */
	0xbf060304,             /* s_cmp_eq_u32 s4, s3 */
	0xbf84000a,             /* s_cbranch_scc0 10 */
	0xb0050014,             /* s_movk_i32 s5, 0x14 */
	0xdc508040, 0x03000000, /* global_load_dword v3, v0, s[0:1] offset:64 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x80858105,             /* s_sub_u32 s5, s5, 1 */
	0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xdc708000, 0x00000200, /* global_store_dword v0, v2, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t by_vector_loads[] = {
	0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fffa,             /* s_cbranch_scc0 65530 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t by_scalar_loads[] = {
	0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xc0800000, 0x00000000, /* s_dcache_inv */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fff9,             /* s_cbranch_scc0 65529 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t asleep[] = {
	0xbf8e0001,             /* s_sleep 1 */
	0xc0020100, 0x00000000, /* s_load_dword s4, s[0:1], 0x0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fffa,             /* s_cbranch_scc0 65530 */
	0xbf810000,             /* s_endpgm */
};

static const uint32_t favoured[] = {
	0xbf8f0003,             /* s_setprio 3 */
	0xdc508000, 0x01000000, /* global_load_dword v1, v0, s[0:1] */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080501,             /* v_readfirstlane_b32 s4, v1 */
	0xbf068104,             /* s_cmp_eq_u32 s4, 1 */
	0xbf84fffa,             /* s_cbranch_scc0 65530 */
	0xbf810000,             /* s_endpgm */
};

static const struct {
	const char *how;
	const uint32_t *code;
	size_t bytes;
} spins[] = {
	{ "that load", by_vector_loads, sizeof by_vector_loads },
	{ "that load scalars", by_scalar_loads, sizeof by_scalar_loads },
	{ "that sleep", asleep, sizeof asleep },
	{ "of higher priority", favoured, sizeof favoured },
};

/* The first or the last wave works, if the seed is even or odd. */
static void run_among(struct machine *m, const uint32_t *spin, size_t bytes, unsigned waves) {
	uint32_t worker = m->launch.seed & 1 ? waves - 1 : 0;
	const uint32_t set_s3 = 0xb0030000 | worker;
	struct code c = { 0 };
	append(&c, &set_s3, sizeof set_s3); /* s_movk_i32 s3, WORKER */
	APPEND(&c, start);
	append(&c, spin, bytes);
	fill_arena(0);
	m->launch.block[0] = 64 * waves;
	run_code(m, &c);
}

/* Runs all seeds, or stops at the first under which the working wave does not end. */
static void test_seeds(struct machine *m, unsigned waves, unsigned seeds) {
	for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
		bool good = true;
		for (m->launch.seed = 0; good && m->launch.seed < seeds; m->launch.seed++) {
			run_among(m, spins[i].code, spins[i].bytes, waves);
			good = no_findings(m) && get(FLAG) == 1;
		}
		if (!ok(good, "a wave among %u waves %s sets its flag under %u seeds", waves,
		        spins[i].how, seeds)) {
			diag("not under seed %llu", (unsigned long long)m->launch.seed - 1);
			show_findings(m);
		}
	}
}

/* The same under explicit schedules, in which operations may be delayed until their waits. */
static void test_explicit(struct machine *m) {
	struct mx_deviation at_wait[ROUNDS];
	struct mx_schedule s = { .odd = UINT64_MAX, .deviations = at_wait };
	bool good = true;
	for (unsigned i = 0; i < 16 && good; i++) {
		s.late = i & 1;
		s.patient = i & 2;
		s.first_wave = i >> 2 & 1;
		m->launch.seed = i >> 3 & 1;
		s.n = 0;
		for (uint64_t k = 0; i & 1 && k < ROUNDS; k++)
			at_wait[s.n++] = (struct mx_deviation){ .wave = m->launch.seed ? 2 : 0,
				                                .kind = MX_DELAY,
				                                .issue = 11 + 5 * k,
				                                .value = MX_TO_WAIT };
		m->launch.schedule = &s;
		run_among(m, by_vector_loads, sizeof by_vector_loads, 3);
		good = no_findings(m) && get(FLAG) == 1;
		if (!good)
			diag("late %d, patient %d, first %u, works %llu", s.late, s.patient,
			     s.first_wave, (unsigned long long)m->launch.seed);
	}
	m->launch.schedule = NULL;
	ok(good, "under explicit schedules, too");
}

int main(void) {
	struct machine m = machine();
	bool thorough = is_long();
	m.launch.max_instructions = LIMIT;
	for (unsigned waves = 2; waves <= 16; waves *= 2)
		test_seeds(&m, waves, (thorough ? 4000 : 100) / waves);
	test_explicit(&m);
	mx_report_free(&m.report);
	return done_testing();
}
