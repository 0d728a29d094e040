/* Copies between device memory and LDS on gfx1250: tiles, asynchronous copies, barriers in LDS.
 * Each right kernel has the right numbers and no finding; each broken one has its finding. */
#include "runtime_test.h"

enum {
	SEEDS = 6,
	GROUP = 128,
	WAVE = 32,
	ROWS = 8,
	COLUMNS = 32,
	MOST_ROWS = 16,
	WIDTH = 40 * COLUMNS
};

static hipModule_t module;
static uint32_t x[MOST_ROWS * WIDTH], got[MOST_ROWS * WIDTH];
static void *from, *to;

static size_t n_findings(void) {
	return mxhipReport()->n_findings;
}

static void show_findings(void) {
	for (size_t i = 0; i < n_findings(); i++)
		diag("%s", in_words(&mxhipReport()->findings[i]));
}

static hipError_t run(const char *name, unsigned threads, unsigned a, unsigned b) {
	hipFunction_t f;
	void *params[] = { &to, &from, &a, &b };
	must(hipMemset(to, 0xff, sizeof got));
	must(hipModuleGetFunction(&f, module, name));
	must(hipModuleLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
	hipError_t e = hipDeviceSynchronize();
	must(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
	return e;
}

/* Whether the last launch is proved; `synchronises`: its waves do so through memory. */
static bool is_right(bool synchronises) {
	const struct mx_proof *p = &mxhipReport()->proof;
	bool right = !n_findings() && (p->outcome == MX_PROVED) == !synchronises;
	if (!right)
		diag("outcome %d, doubt %d", (int)p->outcome, (int)p->doubt);
	show_findings();
	return right;
}

/* Whether a launch is right under many schedules. */
static bool is_right_often(const char *name, unsigned threads, unsigned a, unsigned b,
                           bool (*numbers)(void), bool synchronises) {
	bool right = true;
	for (uint64_t seed = 1; right && seed <= SEEDS; seed++) {
		with_options(.analysis = MX_ANALYSE_ORDER, .seed = seed);
		right = run(name, threads, a, b) == hipSuccess && numbers() &&
		        is_right(synchronises);
	}
	with_options(.analysis = MX_ANALYSE_ORDER);
	return right;
}

static bool finds(mx_finding_kind kind, const char *text) {
	for (size_t i = 0; i < n_findings(); i++) {
		const struct mx_finding *f = &mxhipReport()->findings[i];
		if (f->kind == kind && strstr(in_words(f), text))
			return true;
	}
	show_findings();
	return false;
}

/* ---- tiles ---- */

static bool is_through_up_to(unsigned rows) {
	for (unsigned r = 0; r < MOST_ROWS; r++)
		for (unsigned c = 0; c < WIDTH; c++) {
			bool copied = r < rows && r < ROWS && c < COLUMNS;
			uint32_t want = copied ? x[r * WIDTH + c] + 1 : 0xffffffff;
			if (got[r * WIDTH + c] != want)
				return false;
		}
	return true;
}

static bool is_through(void) {
	return is_through_up_to(MOST_ROWS);
}
static bool is_through_5(void) {
	return is_through_up_to(5);
}

static void test_tiles(void) {
	ok(is_right_often("through", WAVE, WIDTH, MOST_ROWS, is_through, false),
	   "a tile goes to LDS with padding, and back");
	ok(is_right_often("through", WAVE, WIDTH, 5, is_through_5, false),
	   "rows outside the tensor are not stored");
	run("through_no_wait", WAVE, WIDTH, MOST_ROWS);
	ok(finds(MX_RACE_LDS, "written by tensor_load_to_lds") &&
	           finds(MX_RACE_LDS, "no s_wait_tensorcnt 0 between them"),
	   "a read without a wait for the tile is a race");
	run("through_store_early", WAVE, WIDTH, MOST_ROWS);
	ok(finds(MX_RACE_LDS, "no s_wait_dscnt"), "so is a tile that is stored before LDS has it");
	run("through_reuse_early", WAVE, WIDTH, MOST_ROWS);
	ok(finds(MX_RACE_LDS, "no s_wait_tensorcnt 0 between them"),
	   "and LDS that is written while a tile is stored from it");
}

enum { TILES = 5 };

static bool are_sums(void) {
	for (unsigned i = 0; i < GROUP; i++) {
		uint32_t sum = 0;
		for (unsigned k = 0; k < TILES; k++)
			for (unsigned at = i; at < ROWS * COLUMNS; at += GROUP)
				sum += x[at / COLUMNS * WIDTH + k * COLUMNS + at % COLUMNS];
		if (got[i] != sum)
			return false;
	}
	return true;
}

static void test_buffers(void) {
	ok(is_right_often("sum_tiles", GROUP, WIDTH, TILES, are_sums, false),
	   "two buffers: a wave loads a tile while others read one");
	run("sum_tiles_loose", GROUP, WIDTH, TILES);
	ok(finds(MX_RACE_LDS, "s_wait_tensorcnt 1"), "a wait that is too loose is a race");
	run("sum_tiles_late", GROUP, WIDTH, TILES);
	ok(finds(MX_RACE_LDS, "before its s_barrier_signal"),
	   "so is a barrier that is signalled before the wait");
}

/* ---- copies by lane ---- */

static bool are_copies(void) {
	for (unsigned i = 0; i < WAVE; i++)
		if (got[4 * i] != x[4 * i] || got[4 * i + 1] != 1 || got[4 * i + 3] != 3 ||
		    got[4 * WAVE + i] != x[4 * WAVE + i])
			return false;
	return true;
}

static void test_lanes(void) {
	ok(is_right_often("copies", WAVE, 0, 0, are_copies, false),
	   "copies by lane, into LDS and out of it");
	run("copies_no_wait", WAVE, 0, 0);
	ok(finds(MX_RACE_LDS, "no s_wait_asynccnt 1 between them"), "a missing wait is a race");
	run("copies_mixed", WAVE, 0, 0);
	ok(finds(MX_RACE_LDS, "no s_wait_asynccnt 0 between them"),
	   "a wait for 1 does not cover a load before a store: they have no order");
}

/* ---- barriers in LDS ---- */

static bool are_ring_sums(void) {
	for (unsigned i = WAVE; i < GROUP; i++) {
		uint32_t sum = 0;
		for (unsigned k = 0; k < TILES; k++)
			for (unsigned at = i; at < 2 * GROUP; at += GROUP)
				sum += x[at / COLUMNS * WIDTH + k * COLUMNS + at % COLUMNS];
		if (got[i] != sum)
			return false;
	}
	return true;
}

static bool is_copy(void) {
	return !memcmp(got, x, GROUP * sizeof *got);
}

static void test_barriers(void) {
	ok(is_right_often("ring", GROUP, WIDTH, TILES, are_ring_sums, true),
	   "tiles arrive at a barrier in LDS, and readers at another");
	run("ring_first_arrives", GROUP, WIDTH, TILES);
	ok(finds(MX_RACE_LDS, "written by tensor_load_to_lds"),
	   "an arrival does not cover the tile after it");
	run("ring_returned_early", GROUP, WIDTH, TILES);
	ok(finds(MX_RACE_LDS, "tensor_load_to_lds"), "a slot is not returned before it is read");
	ok(is_right_often("arrive_after", GROUP, 0, 0, is_copy, true),
	   "an arrival follows the copies before it");
	run("arrive_at_once", GROUP, 0, 0);
	ok(finds(MX_RACE_LDS, "written by global_load_async_to_lds_b128"),
	   "one of the wave itself does not wait for its copies");
}

int main(void) {
	setenv("MXHIP_ARCH", "gfx1250", 1);
	must(hipModuleLoad(&module, built("tests/hip/gfx1250_copies.gpu.co")));
	with_options(.analysis = MX_ANALYSE_ORDER);
	for (unsigned i = 0; i < MOST_ROWS * WIDTH; i++)
		x[i] = i * 2654435761u >> 8;
	from = device_copy(x, sizeof x);
	to = device_bytes(sizeof got);
	test_tiles();
	test_buffers();
	test_lanes();
	test_barriers();
	done_testing();
	return 0;
}
