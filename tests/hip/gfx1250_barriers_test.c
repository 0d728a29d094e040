/* Named barriers on gfx1250: the order that they give, what leaves a launch unproved, and what
 * stops one. */
#include "runtime_test.h"

enum { WAVE = 32, GROUP = 128, ROUNDS = 5, SEEDS = 6, WORDS = ROUNDS * WAVE };

static hipModule_t module;
static uint32_t got[WORDS], *to;

static void run(const char *name, unsigned threads) {
	hipFunction_t f;
	must(hipMemset(to, 0xff, sizeof got));
	must(hipModuleGetFunction(&f, module, name));
	must(hipModuleLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, (void *[]){ &to }, NULL));
	(void)hipDeviceSynchronize();
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
}

static size_t n_findings(void) {
	return mxhipReport()->n_findings;
}

static void show(void) {
	const struct mx_proof *p = &mxhipReport()->proof;
	diag("outcome %d, doubt %d", (int)p->outcome, (int)p->doubt);
	for (size_t i = 0; i < n_findings(); i++)
		diag("%s", in_words(&mxhipReport()->findings[i]));
}

/* Whether a launch has the right numbers, no finding, and this doubt or none, under many
 * schedules. */
static bool is_right(const char *name, unsigned threads, bool (*numbers)(void), mx_doubt doubt) {
	bool right = true;
	for (uint64_t seed = 1; right && seed <= SEEDS; seed++) {
		with_options(.analysis = MX_ANALYSE_ORDER, .seed = seed);
		run(name, threads);
		const struct mx_proof *p = &mxhipReport()->proof;
		right = numbers() && !n_findings() && p->doubt == doubt &&
		        (p->outcome == MX_PROVED) == !doubt;
	}
	if (!right)
		show();
	return right;
}

/* The finding under some schedule; and none is proved. */
static bool finds(const char *name, unsigned threads, mx_finding_kind kind, const char *text) {
	bool found = false, proved = false;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		with_options(.analysis = MX_ANALYSE_ORDER, .seed = seed);
		run(name, threads);
		proved |= mxhipReport()->proof.outcome == MX_PROVED;
		for (size_t i = 0; i < n_findings(); i++) {
			const struct mx_finding *f = &mxhipReport()->findings[i];
			found |= f->kind == kind && strstr(in_words(f), text);
		}
	}
	if (!found || proved)
		show();
	return found && !proved;
}

/* ---- the numbers ---- */

static bool are_pairs(void) {
	for (unsigned i = 0; i < GROUP; i++)
		if (got[i] != 7 * (i ^ WAVE))
			return false;
	return true;
}

static bool are_rounds(void) {
	for (unsigned k = 0; k < ROUNDS; k++)
		for (unsigned i = 0; i < WAVE; i++)
			if (got[k * WAVE + i] != 100 * k + i)
				return false;
	return true;
}

static bool is_one_first(void) {
	unsigned n = 0;
	for (unsigned i = 0; i < GROUP; i++)
		n += got[i];
	return n == WAVE;
}

static bool are_three(void) {
	for (unsigned i = 0; i < 3 * WAVE; i++)
		if (got[i] != (i + WAVE) % (3 * WAVE))
			return false;
	return true;
}

static bool are_fives(void) {
	for (unsigned i = 0; i < GROUP; i++)
		if (got[i] != 5 + i % WAVE)
			return false;
	return true;
}

static bool are_states(void) {
	return got[0] == (2 << 4 | 1) && got[1] == (1 << 16 | 2 << 4 | 1);
}

static bool is_any(void) {
	return true;
}

/* ---- tests ---- */

static void test_pairs(void) {
	ok(is_right("pairs", GROUP, are_pairs, MX_DOUBT_NONE),
	   "two waves of four exchange data by a named barrier, and their order is proved");
	ok(is_right("pairs_same_members", GROUP, are_pairs, MX_DOUBT_NONE),
	   "M0 may repeat the number of members");
	ok(is_right("pairs_other_members", GROUP, are_pairs, MX_DOUBT_BARRIER_MEMBERS),
	   "or change it, which leaves the launch unproved");
	ok(finds("pairs_late_store", GROUP, MX_RACE_LDS, "after that wave's wait"),
	   "a store after the signal is a race");
	ok(finds("pairs_one_member", GROUP, MX_RACE_LDS, "after that wave's wait"),
	   "so is a barrier that completes after one of two signals");
	ok(finds("pairs_early_signal", GROUP, MX_UNSUPPORTED, "is not initialised"),
	   "under some schedule a signal without order comes before the initialisation");
}

static void test_rounds(void) {
	ok(is_right("produced", 2 * WAVE, are_rounds, MX_DOUBT_NONE),
	   "a producer and a consumer wait for each other, round after round");
	ok(finds("produced_too_early", 2 * WAVE, MX_RACE_LDS, ""),
	   "a producer that does not wait is a race");
	ok(finds("joined_late", 2 * WAVE, MX_STUCK, "no wave can make progress"),
	   "a completion before a wave joins does not end its wait");
}

static void test_same(void) {
	ok(is_right("stores_same", GROUP, are_fives, MX_DOUBT_NONE),
	   "two waves store the same after a barrier, one of them before the other has waited");
	ok(finds("stores_same_early", GROUP, MX_RACE_LDS, ""),
	   "one that stores it before its own wait is a race with what the others read");
}

static void test_others(void) {
	unsigned polled = 0;
	ok(is_right("states", 2 * WAVE, are_states, MX_DOUBT_BARRIER_STATE),
	   "a wave reads the members and signals of a barrier");
	for (unsigned seed = 1; seed < 9; seed++) {
		with_options(.seed = seed);
		run("state_polled", 2 * WAVE);
		polled += got[0] == (2 << 4 | 1) && !n_findings();
	}
	ok(polled == 8, "or asks for them while it polls");
	ok(is_right("joins_none", WAVE, is_any, MX_DOUBT_NONE), "barrier 0 is none");
	ok(is_right("leaves", GROUP, are_three, MX_DOUBT_BARRIER_MEMBERS),
	   "a wave that leaves is not waited for");
	with_options(.seed = 1);
	run("firsts", GROUP);
	ok(is_one_first() && !n_findings(), "one wave is the first to signal");
	ok(finds("not_initialised", WAVE, MX_UNSUPPORTED, "is not initialised"),
	   "a signal without initialisation stops the launch");
	ok(finds("not_joined", WAVE, MX_UNSUPPORTED, "has joined none"),
	   "a wait without a join, too");
	ok(finds("left", WAVE, MX_UNSUPPORTED, "has joined none"), "or after the wave has left");
	ok(finds("no_members", WAVE, MX_UNSUPPORTED, "gets no members"), "and 0 members");
	ok(finds("beyond", WAVE, MX_UNSUPPORTED, "barrier 5"),
	   "and a barrier that the kernel descriptor does not have");
}

int main(void) {
	setenv("MXHIP_ARCH", "gfx1250", 1);
	must(hipModuleLoad(&module, built("tests/hip/gfx1250_barriers.gpu.co")));
	to = device_bytes(sizeof got);
	test_pairs();
	test_rounds();
	test_same();
	test_others();
	done_testing();
	return 0;
}
