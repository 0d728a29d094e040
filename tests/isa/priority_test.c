/* Schedules by priority implement probabilistic concurrency testing, and the promised chance is not
 * too high. */
#include "../../ref/isa/schedule/random.h"
#include "../../ref/isa/schedule/schedule.h"
#include "machine_test.h"

#include <math.h>

enum { WAVES = 3, SEEDS = 4000, NOPS = 30 };

/* The sequence of turns: "0120" if wave 0 had the first and the last. */
struct turns {
	char text[256];
	size_t n;
};

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	(void)context, (void)workgroup, (void)wave;
	return MX_EVENT_ISSUE;
}

static void note(void *context, const struct mx_event *e) {
	struct turns *t = context;
	char wave = (char)('0' + e->wave);
	if ((!t->n || t->text[t->n - 1] != wave) && t->n + 1 < sizeof t->text)
		t->text[t->n++] = wave;
}

/* Two waves lose their priority, one after the other, and the third runs to its end. Either of the
 * two may continue first. */
static void test_changes(struct machine *m) {
	struct code c = { 0 };
	struct turns t;
	const struct mx_observer observer = { &t, wants, note };
	const uint32_t nop = 0xbf800000 /* s_nop 0 */, end = 0xbf810000 /* s_endpgm */;
	unsigned first = 0, second = 0;
	for (unsigned i = 0; i < NOPS; i++)
		append(&c, &nop, sizeof nop);
	append(&c, &end, sizeof end);
	m->launch.block[0] = 64 * WAVES;
	m->launch.observer = &observer;
	for (m->launch.seed = 0; m->launch.seed < SEEDS; m->launch.seed++) {
		t = (struct turns){ .n = 0 };
		run_code(m, &c);
		bool two = t.n == 5 && t.text[0] != t.text[1] && t.text[2] != t.text[3];
		first += two && t.text[3] == t.text[0] && t.text[4] == t.text[1];
		second += two && t.text[3] == t.text[1] && t.text[4] == t.text[0];
	}
	m->launch.observer = NULL;
	if (!ok(first > SEEDS / 400 && second > SEEDS / 400,
	        "either of two waves that lose their priority may be the last"))
		diag("the first continues first under %u seeds of %d, the second under %u", first,
		     SEEDS, second);
}

/* Under how many seeds wave 0, which sets its priority first, ends last. */
static unsigned ends_last(struct machine *m, unsigned priority) {
	const uint32_t start[] = {
		0x7e080500,            /* v_readfirstlane_b32 s4, v0 */
		0xbf078004,            /* s_cmp_lg_u32 s4, 0 */
		0xbf850001,            /* s_cbranch_scc1 1 */
		0xbf8f0000 | priority, /* s_setprio */
	};
	const uint32_t nop = 0xbf800000 /* s_nop 0 */, end = 0xbf810000 /* s_endpgm */;
	struct turns t;
	struct code c = { 0 };
	const struct mx_observer observer = { &t, wants, note };
	unsigned last = 0;
	append(&c, start, sizeof start);
	for (unsigned i = 0; i < 8 * NOPS; i++)
		append(&c, &nop, sizeof nop);
	append(&c, &end, sizeof end);
	m->launch.block[0] = 64 * WAVES;
	m->launch.observer = &observer;
	for (m->launch.seed = 0; m->launch.seed < SEEDS / 4; m->launch.seed++) {
		t = (struct turns){ .n = 0 };
		run_code(m, &c);
		last += t.n && t.text[t.n - 1] == '0';
	}
	m->launch.observer = NULL;
	return last;
}

static void test_setprio(struct machine *m) {
	unsigned low = ends_last(m, 0), high = ends_last(m, 3);
	ok(high < low * 3 / 4, "a wave of higher priority ends last under %u seeds, else under %u",
	   high, low);
}

/* 1/2 of the schedules are by priority, 1/10 with immediate memory, 1/12 with each range. */
static void test_chance(void) {
	uint64_t few = 100, many = MX_FAIR, more = MX_FAIR + 1, one = 100;
	unsigned depth;
	double chance = mx_schedule_chance(4, &few, &depth);
	ok(fabs(chance * 2 * 10 * 12 * 4 * 128 * 128 - 1) < 1e-9 && few == 128 && depth == 3,
	   "three orderings among 128 instructions of four waves: %g", chance);
	ok(mx_schedule_chance(4, &many, &depth) > 0 && !mx_schedule_chance(4, &more, &depth),
	   "no chance for waves that run so long that they lose their turns");
	ok(!mx_schedule_chance(1, &one, &depth), "nor for one wave");
}

/* The shares from which the chance is computed. */
static void test_shares(void) {
	struct mx_wave waves[4] = { { 0 } };
	unsigned fit = 0, near = 0;
	for (uint64_t seed = 0; seed < 24000; seed++) {
		struct mx_group g = { .n_waves = 4, .waves = waves };
		mx_random_seed(&g.random, seed, 0);
		mx_group_policy(&g);
		bool fits = g.policy.ranked && g.policy.at_once == 256;
		fit += fits;
		near += fits && g.policy.change[MX_CHANGES - 1] < 128;
	}
	ok(fit > 1100 && fit < 1300, "immediate memory and strict priorities: %u of 24000", fit);
	ok(near > 2 * 75, "of these with changes among 128 instructions: %u", near);
}

int main(void) {
	struct machine m = machine();
	test_changes(&m);
	test_setprio(&m);
	test_chance();
	test_shares();
	mx_report_free(&m.report);
	return done_testing();
}
