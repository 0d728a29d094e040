/* Clusters of workgroups on gfx1250: their numbers, the barrier of a cluster, loads with a mask of
 * workgroups; and what is reported. */
#include "runtime_test.h"

enum { GRID = 4, GROUPS = GRID * GRID, GROUP = 64, TILE = 32, ROUNDS = 3, SEEDS = 6 };

static hipModule_t module;
static uint32_t got[GROUPS * GROUP + 2 * TILE], *to;

/* HIP_LAUNCH_CONFIG and hipLaunchAttribute of HIP 6.5. */
struct attribute {
	int id, pad;
	unsigned cluster[16];
};
struct config {
	unsigned grid[3], block[3], lds;
	hipStream_t stream;
	const struct attribute *attributes;
	unsigned n;
};
hipError_t hipDrvLaunchKernelEx(const struct config *c, hipFunction_t f, void **params,
                                void **extra);

static hipError_t run(const char *name, unsigned threads, unsigned x, unsigned y,
                      unsigned argument) {
	const struct attribute cluster = { .id = 4, .cluster = { x, y, 1 } };
	const struct config c = { .grid = { GRID, GRID, 1 },
		                  .block = { threads, 1, 1 },
		                  .attributes = &cluster,
		                  .n = 1 };
	hipFunction_t f;
	void *params[] = { &to, &argument };
	must(hipModuleGetFunction(&f, module, name));
	must(hipDrvLaunchKernelEx(&c, f, params, NULL));
	hipError_t e = hipDeviceSynchronize();
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
	return e;
}

static size_t n_findings(void) {
	return mxhipReport()->n_findings;
}

static bool finds(mx_finding_kind kind, const char *text) {
	for (size_t i = 0; i < n_findings(); i++) {
		const struct mx_finding *f = &mxhipReport()->findings[i];
		if (f->kind == kind && strstr(in_words(f), text))
			return true;
	}
	for (size_t i = 0; i < n_findings(); i++)
		diag("%s", in_words(&mxhipReport()->findings[i]));
	return false;
}

static void test_places(unsigned x, unsigned y) {
	unsigned wrong = 0;
	must(run("places", GROUP, x, y, 0));
	for (unsigned i = 0; i < GROUPS; i++) {
		unsigned gx = i % GRID, gy = i / GRID;
		const uint32_t want[] = {
			gx % x + gy % y * x, gx % x, gy % y, gx / x, gy / y, x * y - 1
		};
		wrong += memcmp(got + 6 * i, want, sizeof want) != 0;
	}
	ok(!wrong, "clusters of %u x %u: each workgroup has its place and that of its cluster", x,
	   y);
}

static void test_barrier(void) {
	unsigned wrong = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		with_options(.analysis = MX_ANALYSE_ORDER, .seed = seed);
		must(run("exchange", GROUP, 2, 2, ROUNDS));
		for (unsigned i = 0; i < GROUPS * GROUP; i++)
			wrong += got[i] != ROUNDS * (i ^ GROUP) + ROUNDS * (ROUNDS - 1) / 2;
		wrong += n_findings() != 0;
	}
	with_options(.analysis = MX_ANALYSE_ORDER);
	if (!ok(!wrong, "the barrier of a cluster orders what its workgroups store and load"))
		finds(MX_STUCK, "-");
	run("exchange_early", GROUP, 2, 2, ROUNDS);
	ok(finds(MX_RACE_GLOBAL, "global_store_b32"), "not a store without a wait before it");
	run("exchange_alone", GROUP, 2, 2, ROUNDS);
	ok(finds(MX_RACE_GLOBAL, "workgroup"), "nor does that of the workgroup");
	ok(run("stuck", 32, 2, 2, 0) != hipSuccess && finds(MX_STUCK, "no wave can make progress"),
	   "a workgroup that does not signal stops its cluster");
	ok(run("stuck", 32, 1, 1, 0) == hipSuccess, "without a cluster it has no effect");
}

enum { AFTER_ALL, EARLY, EARLY_AND_SLOW };

static void test_signals(void) {
	unsigned proved = 0, doubted = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		with_options(.analysis = MX_ANALYSE_ORDER, .seed = seed);
		must(run("signals", GROUP, 2, 2, AFTER_ALL));
		proved += mxhipReport()->proof.outcome == MX_PROVED;
		run("signals", GROUP, 2, 2, EARLY);
		doubted += n_findings() || mxhipReport()->proof.doubt == MX_DOUBT_CLUSTER_ORDER;
	}
	ok(proved == SEEDS, "a signal after the last waits of the workgroup's waves is proved");
	ok(doubted == SEEDS, "not one before them, which may complete the barrier too often");
	run("signals", GROUP, 2, 2, EARLY_AND_SLOW);
	ok(finds(MX_STUCK, "no wave can make progress"), "  so that a wave waits forever");

	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	with_options(.schedule = &sequential);
	ok(run("signals", GROUP, 2, 2, AFTER_ALL) == hipSuccess && !n_findings(),
	   "under the sequential schedule its workgroups are not taken to be stuck");
	with_options(.analysis = MX_ANALYSE_ORDER);
}

static void test_masks(void) {
	unsigned wrong = 0;
	for (unsigned i = 0; i < 2 * TILE; i++)
		to[GROUPS * TILE + i] = 1000 + i;
	must(run("multicast", 32, 2, 2, 3));
	for (unsigned i = 0; i < GROUPS * TILE; i++)
		wrong += got[i] != 2 * (1000 + i / TILE / GRID % 2 * TILE + i % TILE);
	ok(!wrong && !n_findings(), "workgroups of a row load a tile together");
	run("multicast", 32, 2, 2, 2);
	ok(finds(MX_UNSUPPORTED, "multicast 0x2 by workgroup 0 of a cluster of 4"),
	   "a mask has its own workgroup");
	run("multicast", 32, 1, 1, 3);
	ok(finds(MX_UNSUPPORTED, "multicast 0x3 outside a cluster"),
	   "outside a cluster a tensor load has none");
	run("places", GROUP, 3, 1, 0);
	ok(finds(MX_UNSUPPORTED, "a grid that is not a whole number of clusters"),
	   "a grid is a whole number of clusters");
	to[0] = 1;
	run("places", GROUP, 4, 8, 0);
	ok(finds(MX_UNSUPPORTED, "more than 16 workgroups"), "a cluster has at most 16 workgroups");
}

/* Workgroups 2, 3, 6, 7 of a grid of 4 x 4 are a cluster of 2 x 2, 8, 9, 12, 13 another one. */
static void test_lists(void) {
	static const uint64_t two[] = { 2, 3, 6, 7, 8, 9, 12, 13 }, half[] = { 3, 7 },
			      mixed[] = { 2, 3, 8, 9 };
	unsigned wrong = 0;
	memset(to, 0xff, sizeof got);
	with_options(.analysis = MX_ANALYSE_ORDER, .workgroups = two, .n_workgroups = 8);
	must(run("exchange", GROUP, 2, 2, ROUNDS));
	for (unsigned i = 0; i < GROUPS * GROUP; i++) {
		bool runs = false;
		for (unsigned k = 0; k < 8; k++)
			runs |= two[k] == i / GROUP;
		wrong += got[i] != (runs ? ROUNDS * (i ^ GROUP) + ROUNDS * (ROUNDS - 1) / 2 : ~0u);
	}
	ok(!wrong && !n_findings(), "two of four clusters run");
	with_options(.workgroups = half, .n_workgroups = 2);
	run("exchange", GROUP, 2, 2, ROUNDS);
	ok(finds(MX_UNSUPPORTED, "a list of workgroups that has a part of a cluster"),
	   "half a cluster does not");
	with_options(.workgroups = mixed, .n_workgroups = 4);
	run("exchange", GROUP, 2, 2, ROUNDS);
	ok(finds(MX_UNSUPPORTED, "a list of workgroups that has a part of a cluster"),
	   "nor do parts of two");
}

int main(void) {
	setenv("MXHIP_ARCH", "gfx1250", 1);
	must(hipModuleLoad(&module, built("tests/hip/gfx1250_clusters.gpu.co")));
	with_options(.analysis = MX_ANALYSE_ORDER);
	to = device_bytes(sizeof got);
	test_places(2, 2);
	test_places(4, 1);
	test_places(4, 4);
	test_places(1, 1);
	test_barrier();
	test_signals();
	test_masks();
	test_lists();
	done_testing();
	return 0;
}
