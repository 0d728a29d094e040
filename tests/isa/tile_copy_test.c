/* Copies of tiles by tensor descriptors: what they write and read, what is reported, and their
 * order. tests/mma/tdm_test.c has the descriptors themselves. */
#include "both_ways.h"
#include "toy_programs.h"

/* v1: 4 bytes for each item; v6 and v7: v1 + 512 and + 1024. */
#define BEGIN                                                                                      \
	ITEM_ADDRESS, T_WAVE_SIZE(5), T_SHL2(5, 5), T_SHL2(5, 5), T_ADD(6, 1, 5), T_ADD(7, 6, 5)
#define LOAD_AT_V1 T_LDS_LOAD(3, 1), T_WAIT_LDS, T_STORE(3, 7), T_END

static const uint32_t in[] = { BEGIN, T_TILE_IN(1, 1), T_WAIT(TILE, 0), LOAD_AT_V1 };
static const uint32_t only[] = { BEGIN, T_TILE_IN(1, 1), T_WAIT(TILE, 0), T_END };
static const uint32_t out[] = {
	BEGIN, T_LDS_STORE(6, 1), T_WAIT_LDS, T_TILE_OUT(1, 7), T_WAIT(TILE, 0), T_END,
};
static const uint32_t row[MX_TDM_DWORDS] = ROW_OF(32);

/* Whether dwords from `at` on have their first values plus `more`. */
static bool has(uint32_t at, uint32_t n, uint32_t more) {
	for (uint32_t i = 0; i < n; i++)
		if (get(at + 4 * i) != 4 * i + more)
			return false;
	return true;
}

static void reset(void) {
	memcpy(tile, row, sizeof tile);
}

static bool finds(const uint32_t *code, size_t bytes, mx_finding_kind kind, const char *words) {
	const struct machine *m = run_seed(code, bytes, 1);
	bool found =
		m->report.n_findings && m->report.findings->kind == kind && finding_says(m, words);
	if (!found)
		show_findings(m);
	return found;
}
#define FINDS(code, kind, words) finds(code, sizeof(code), MX_##kind, words)

static void test_bounds(void) {
	static const uint32_t zeros[] = {
		BEGIN, T_TILE_IN(1, 1), T_LDS_STORE(6, 1), T_WAIT_LDS, T_WAIT(TILE, 0), T_END,
	};
	tile[5] = 8 << 16; /* the tensor ends after 8 dwords */
	ok(is_proved(RUN_OFTEN(in)) && has(1024, 8, 0) && !get(1024 + 32) && !get(1024 + 124),
	   "a load writes zeros for what is outside the tensor");
	ok(is_proved(RUN_OFTEN(out)) && has(1024, 8, 512) && get(1024 + 32) == 0,
	   "a store leaves it out");
	tile[5] = 0;
	RACES(zeros, "these zeros are writes to LDS");
	reset();
}

static void test_padding(void) {
	static const uint32_t hole[] = {
		BEGIN, T_TILE_IN(1, 1), T_LDS_STORE(6, 1), T_WAIT_LDS, T_WAIT(TILE, 0), LOAD_AT_V1,
	};
	const uint32_t padded[] = ROW_OF(2);
	memcpy(tile, padded, sizeof padded);
	tile[4] |= 1 << 20; /* after each 8 bytes 4 */
	tile[0] = 1;
	RACES(hole, "a store to bytes that a tile writes is a race");
	tile[7] = 4 << 16;
	tile[5] = 4 << 16;
	const struct machine *m = run_seed(in, sizeof in, 1);
	ok(m->ran && get(1024) == 0 && get(1024 + 4) == 4 && get(1024 + 12) == 8 &&
	           get(1024 + 16) == 12,
	   "padding moves the dwords after it");
	ok(m->report.n_findings && m->report.findings->kind == MX_UNWRITTEN, "and stays unwritten");
	reset();
}

static void test_reports(void) {
	tile[3] = 1u << 30;
	ok(FINDS(in, UNSUPPORTED, "a tensor descriptor that no source defines: its type is not 2"),
	   "an invalid descriptor stops the launch");
	reset();
	tile[7] = 512 << 16;
	tile[5] = 512 << 16;
	ok(FINDS(only, BOUNDS_WRITE, "write of 2048 bytes at 0 in LDS of 1024"),
	   "a tile that leaves LDS is reported");
	ok(FINDS(only, BOUNDS_WRITE, "; load [512] of 4 bytes at 0x"), "with its descriptor");
	reset();
	tile[7] = 0xffffu << 16;
	tile[8] = 0xffffffff;
	ok(FINDS(only, BOUNDS_WRITE, "in LDS of 1024"), "so is an immense one");
	reset();
	tile[5] = 0;
	tile[3] = 2u << 30 | 1 << 24;
	ok(is_fine(run_seed(in, sizeof in, 1)), "memory outside the tensor need not exist");
	tile[5] = 32 << 16;
	ok(FINDS(in, FAULT, "read of 128 bytes at"), "memory inside must");
	reset();
	static const uint32_t copied[] = {
		BEGIN, T_TILE_IN(1, 1), T_WAIT(TILE, 0), T_TILE_OUT(1, 7), T_WAIT(TILE, 0), T_END,
	};
	static const uint32_t nothing[] = { BEGIN, T_TILE_OUT(1, 7), T_WAIT(TILE, 0), T_END };
	ok(FINDS(nothing, UNWRITTEN, "stores unwritten bits"),
	   "LDS that is stored must be written");
	ok(FINDS(nothing, UNWRITTEN, "; store [32] of 4 bytes at 0x"),
	   "also what is found when the copy lands has the descriptor");
	unwritten = 41;
	ok(FINDS(copied, UNWRITTEN, "(mask 0xff00 of dword 10)"),
	   "unwritten bits follow a tile through LDS");
	unwritten = -1;
	tile[0] = 0;
	ok(is_fine(run_seed(nothing, sizeof nothing, 1)) && get(1024) == 0,
	   "a null descriptor copies nothing");
	reset();
}

static void test_notes(void) {
	tile[4] |= 1 << 20 | 1 << 25; /* 8 bytes after each 8 */
	ok(FINDS(only, ASSUMED_NOTE,
	         "a pad_interval or a pad_amount of 0 beside one that is not 0"),
	   "an encoded 0 beside another number rests on an assumption");
	reset();
	tile[4] |= 1 << 19;
	tile[7] = 4 << 16;
	tile[8] = 1; /* one row of a tensor of two */
	tile[5] = 4 << 16;
	tile[6] = 2 << 16;
	tile[9] = tile[13] = tile[14] = 4;
	tile[15] = 1 << 16; /* twice */
	ok(is_fine(run_seed(only, sizeof only, 1)), "repeats in the tensor do not");
	tile[15] = 2 << 16;
	ok(FINDS(only, ASSUMED_NOTE, "of a tile that repeats, bounds count from each copy's place"),
	   "repeats beyond it do");
	reset();
	tile[0] |= 1u << 31;
	tile[6] = 8 << 16; /* 8 rows of 4 */
	tile[7] = 4 << 16;
	tile[8] = 3;
	tile[9] = 4;
	tile[12] = 9 << 16 | 2; /* 2, 9, 1 */
	tile[13] = 1;
	ok(FINDS(only, ASSUMED_NOTE, "though the indices are not ascending"),
	   "so do rows outside, unless the indices ascend");
	tile[13] = 9;
	ok(is_fine(run_seed(only, sizeof only, 1)), "as they do here");
	reset();
}

static void test_order(void) {
	static const uint32_t no_wait[] = {
		BEGIN, T_LDS_STORE(6, 1), T_TILE_OUT(1, 7), T_WAIT(TILE, 0), T_END,
	};
	static const uint32_t reused[] = {
		BEGIN,      T_LDS_STORE(6, 1), T_WAIT_LDS, T_TILE_OUT(1, 7), T_LDS_STORE(1, 1),
		T_WAIT_LDS, T_WAIT(TILE, 0),   T_END,
	};
	static const uint32_t read_back[] = {
		BEGIN,        T_LDS_STORE(6, 1), T_WAIT_LDS,    T_TILE_OUT(1, 7), T_WAIT(TILE, 0),
		T_LOAD(3, 7), T_WAIT(IN, 0),     T_STORE(3, 7), T_END,
	};
	const struct mx_proof *p = &run_seed(read_back, sizeof read_back, 1)->report.proof;
	ok(p->outcome == MX_PROVED && p->assumptions >> MX_PROOF_COPY_CACHE & 1,
	   "that a load finds what a tile wrote assumes one cache");
	run_seed(out, sizeof out, 1);
	ok(p->outcome == MX_PROVED && !(p->assumptions >> MX_PROOF_COPY_CACHE & 1),
	   "a tile alone does not");
	RACES(no_wait, "a store that does not wait for the LDS store before it is a race");
	RACES(reused, "so is LDS that is written while a tile is stored from it");
	ENDS_WITH(reused, "no t_wait tile 0 between them", "the finding names the counter");
}

/* The barrier is at 512 in LDS, where v6 of lane 0 points. The dword of lane 1 is the count. */
static void test_arrival(void) {
	static const uint32_t arrives[] = {
		BEGIN,           T_LDS_STORE(1, 6), T_WAIT_LDS, T_TILE_IN(1, 1), T_TILE_IN(1, 1),
		T_WAIT(TILE, 0), T_LDS_LOAD(3, 6),  T_WAIT_LDS, T_STORE(3, 7),   T_END,
	};
	static const uint32_t too_soon[] = {
		BEGIN, T_LDS_STORE(1, 6), T_WAIT_LDS, T_TILE_IN(1, 1), T_LDS_LOAD(3, 6), T_WAIT_LDS,
		T_END,
	};
	tile[4] |= 1 << 18;
	tile[5] |= 512 / 8;
	/* pending 0, 4 in the next phase */
	ok(is_proved(RUN_OFTEN(arrives)) && get(1024) == (7u << 29 | 3) && get(1028) == 4,
	   "a tile arrives at a barrier: its phase ends, and the next has one arrival");
	RACES(too_soon, "a plain read of the barrier needs a wait");
	tile[0] = 0;
	ok(is_proved(RUN_OFTEN(arrives)) && !get(1024), "a null descriptor does not arrive");
	reset();
	tile[4] |= 1 << 18;
	tile[5] = 512 / 8;
	tile[7] = 0;
	ok(is_proved(RUN_OFTEN(arrives)) && get(1024) == (7u << 29 | 3),
	   "a tile without elements does");
	tile[5] = 1024 / 8;
	ok(FINDS(only, BOUNDS_WRITE, "write of 8 bytes at 1024 in LDS of 1024"),
	   "a barrier outside LDS is reported");
	reset();
}

/* A random tile of one or two rows, partly in the tensor, which may leave a hole in LDS. */
static void draw_tile(uint64_t *random) {
	uint32_t columns = 1 + next_random(random) % 40, rows = 1 + next_random(random) % 2;
	tile[4] |= next_random(random) % 4 ? 0 : 1 << 20 | 1 << 22;
	tile[5] = (next_random(random) % 4 ? 64 : columns / 2) << 16;
	tile[6] = 2 << 16;
	tile[7] = columns << 16;
	tile[8] = rows;
	tile[9] = 48;
}

static struct mx_report run_one_way(const uint32_t *code, size_t bytes, uint64_t seed, bool way) {
	lane_by_lane = way;
	struct machine *m = (struct machine *)run_seed(code, bytes, seed);
	struct mx_report r = m->report;
	m->report = (struct mx_report){ 0 };
	lane_by_lane = false;
	return r;
}

/* Random programs of two waves: the order of tiles is the same, recorded in runs or by cells. */
static void test_runs(void) {
	static const uint32_t parts[][2] = {
		{ T_TILE_IN(1, 1), T_WAIT_LDS },        { T_TILE_IN(1, 1), T_WAIT(TILE, 0) },
		{ T_TILE_OUT(1, 7), T_WAIT(TILE, 0) },  { T_TILE_OUT(1, 7), T_WAIT_LDS },
		{ T_LDS_STORE(6, 1), T_WAIT_LDS },      { T_LDS_LOAD(3, 1), T_WAIT_LDS },
		{ T_LDS_STORE(6, 1), T_WAIT(TILE, 0) }, { T_SIGNAL(0), T_AWAIT(0) },
	};
	enum { PARTS = 6, BEGUN = 6, ROUNDS = 500 };
	uint64_t random = 1;
	unsigned same = 0, racing = 0, proved = 0;
	items = 64;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t code[BEGUN + 2 * PARTS + 1] = { BEGIN };
		for (unsigned k = 0; k < PARTS; k++)
			memcpy(code + BEGUN + 2 * k,
			       parts[next_random(&random) % (sizeof parts / sizeof *parts)],
			       sizeof *parts);
		code[BEGUN + 2 * PARTS] = T_END;
		draw_tile(&random);
		struct mx_report a = run_one_way(code, sizeof code, i, true);
		struct mx_report b = run_one_way(code, sizeof code, i, false);
		same += same_findings(&a, &b) && same_proof(&a.proof, &b.proof);
		racing += b.n_findings > 0;
		proved += b.proof.outcome == MX_PROVED;
		mx_report_free(&a);
		mx_report_free(&b);
		reset();
	}
	items = 32;
	if (!ok(same == ROUNDS && racing > ROUNDS / 4 && proved > ROUNDS / 20,
	        "tiles recorded in runs have the findings and proofs of tiles by cells"))
		diag("%u of %u the same, %u with findings, %u proved", same, ROUNDS, racing,
		     proved);
}

/* Five workgroups read a page again and again: the order is the same, though later copies add
 * nothing to what several of them have read. */
static void test_shared(void) {
	static const uint32_t reads[] = {
		BEGIN, T_TILE_IN(1, 1), T_WAIT(TILE, 0), T_TILE_IN(1, 1), T_WAIT(TILE, 0), T_END,
	};
	static const uint32_t writes[] = {
		BEGIN,           T_TILE_IN(1, 1), T_WAIT(TILE, 0), T_TILE_IN(1, 1),
		T_WAIT(TILE, 0), T_STORE(1, 1),   T_END,
	};
	const uint32_t page[] = ROW_OF(256);
	unsigned same = 0, proved = 0, racing = 0;
	memcpy(tile, page, sizeof page);
	groups = 5;
	for (unsigned i = 0; i < 2 * SEEDS; i++) {
		const uint32_t *code = i % 2 ? writes : reads;
		size_t bytes = i % 2 ? sizeof writes : sizeof reads;
		struct mx_report a = run_one_way(code, bytes, i / 2, true);
		struct mx_report b = run_one_way(code, bytes, i / 2, false);
		same += same_findings(&a, &b) && same_proof(&a.proof, &b.proof);
		proved += b.proof.outcome == MX_PROVED;
		racing += b.n_findings > 0;
		mx_report_free(&a);
		mx_report_free(&b);
	}
	groups = 1;
	reset();
	if (!ok(same == 2 * SEEDS && proved == SEEDS && racing == SEEDS,
	        "tiles that several workgroups read; a store to them is a race"))
		diag("%u of %u the same, %u proved, %u with findings", same, 2 * SEEDS, proved,
		     racing);
}

int main(void) {
	items = 32;
	test_bounds();
	test_padding();
	test_reports();
	test_notes();
	test_order();
	test_arrival();
	test_runs();
	test_shared();
	return done_testing();
}
