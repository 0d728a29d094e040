/* Copies between device memory and LDS that run beside the wave, with a counter of their own, on an
 * instruction set that has them. */
#include "toy_programs.h"

/* v1: 4 bytes for each item; v2: 4 bytes for each lane; v6 and v7: v1 + 512 and + 1024. */
#define BEGIN                                                                                      \
	ITEM_ADDRESS, LANE_ADDRESS, T_WAVE_SIZE(5), T_SHL2(5, 5), T_SHL2(5, 5), T_ADD(6, 1, 5),    \
		T_ADD(7, 6, 5)

/* Whether the dwords from `at` on are 4 * item + first. */
static bool counts_from(uint32_t at, uint32_t first) {
	for (uint32_t i = 0; i < ITEMS; i++)
		if (get(at + 4 * i) != first + 4 * i)
			return false;
	return true;
}

/* ---- waits ---- */

static void test_wait(void) {
	static const uint32_t waits[] = {
		BEGIN,         T_COPY_IN(1, 1), T_WAIT(ASYNC, 0), T_LDS_LOAD(3, 1), T_WAIT_LDS,
		T_STORE(3, 7), T_END,
	};
	static const uint32_t none[] = {
		BEGIN, T_COPY_IN(1, 1), T_LDS_LOAD(3, 1), T_WAIT_LDS, T_END,
	};
	static const uint32_t others[] = {
		BEGIN,      T_COPY_IN(1, 1),  T_WAIT(IN, 0), T_WAIT(OUT, 0),
		T_WAIT_LDS, T_LDS_LOAD(3, 1), T_WAIT_LDS,    T_END,
	};
	ok(is_proved(RUN_OFTEN(waits)) && counts_from(1024, 0),
	   "a copy is in LDS after a wait for its counter");
	RACES(none, "without a wait a read is a race");
	RACES(others, "waits for other counters do not help");
	ENDS_WITH(none, "by t_copy_in v1 (+0x20) of wave 0: no t_wait async 0 between them",
	          "the finding names the counter");
}

static void test_out(void) {
	static const uint32_t waits[] = {
		BEGIN,
		T_LDS_STORE(1, 1),
		T_WAIT_LDS,
		T_COPY_OUT(1, 7),
		T_WAIT(ASYNC, 0),
		T_LDS_STORE(2, 1),
		T_END,
	};
	static const uint32_t none[] = {
		BEGIN, T_LDS_STORE(1, 1), T_WAIT_LDS, T_COPY_OUT(1, 7), T_LDS_STORE(2, 1), T_END,
	};
	static const uint32_t early[] = {
		BEGIN,
		T_LDS_STORE(1, 1),
		T_COPY_OUT(1, 7),
		T_END,
	};
	static const uint32_t hidden[] = {
		BEGIN,           T_LDS_STORE(1, 1), T_WAIT_LDS, T_LDS_LOAD(3, 1),
		T_COPY_IN(1, 1), T_WAIT_LDS,        T_END,
	};
	ok(is_proved(RUN_OFTEN(waits)) && counts_from(1024, 0), "a copy out of LDS reads it");
	RACES(none, "a store to LDS that it may still read is a race");
	RACES(early, "a store before it that may be in flight is a race, too");
	ENDS_WITH(hidden, "ordered only by latency",
	          "that a copy into LDS comes after an unfinished read is a matter of latency");
}

/* ---- the order of several copies ---- */

static void test_counted_in_order(void) {
	static const uint32_t first[] = {
		BEGIN,      T_COPY_IN(1, 1), T_COPY_IN(6, 6), T_WAIT(ASYNC, 1), T_LDS_LOAD(3, 1),
		T_WAIT_LDS, T_STORE(3, 7),   T_END,
	};
	static const uint32_t second[] = {
		BEGIN,      T_COPY_IN(1, 1), T_COPY_IN(6, 6), T_WAIT(ASYNC, 1), T_LDS_LOAD(3, 6),
		T_WAIT_LDS, T_END,
	};
	static const uint32_t both_ways[] = {
		BEGIN,
		T_LDS_STORE(1, 6),
		T_WAIT_LDS,
		T_COPY_IN(1, 1),
		T_COPY_OUT(6, 7),
		T_WAIT(ASYNC, 1),
		T_LDS_LOAD(3, 1),
		T_WAIT_LDS,
		T_END,
	};
	unsigned right = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		right += is_proved(run_seed(first, sizeof first, seed)) && counts_from(1024, 0);
	ok(right == SEEDS, "a wait for 1 covers the first of two copies");
	RACES(second, "and not the second");
	RACES(both_ways, "copies into LDS and out of it are counted in no common order");
}

static void test_any_order(void) {
	static const uint32_t same_place[] = {
		BEGIN,      T_COPY_IN(1, 1), T_COPY_IN(1, 6), T_WAIT(ASYNC, 0), T_LDS_LOAD(3, 1),
		T_WAIT_LDS, T_STORE(3, 7),   T_END,
	};
	static const uint32_t apart[] = {
		BEGIN,           T_COPY_IN(1, 1),  T_WAIT(ASYNC, 0),
		T_COPY_IN(1, 6), T_WAIT(ASYNC, 0), T_LDS_LOAD(3, 1),
		T_WAIT_LDS,      T_STORE(3, 7),    T_END,
	};
	unsigned seen = 0;
	RACES(same_place, "two copies to the same bytes are a race");
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		run_seed(same_place, sizeof same_place, seed);
		seen |= counts_from(1024, 0) ? 1 : counts_from(1024, 512) ? 2 : 0;
	}
	ok(seen == 3, "either may be the last");
	ok(is_proved(RUN_OFTEN(apart)) && counts_from(1024, 512),
	   "with a wait between, the second");
}

/* ---- several waves ---- */

static void test_waves(void) {
	static const uint32_t publishes[] = {
		BEGIN,       T_ONLY(0, 2), T_COPY_IN(2, 2),  T_WAIT(ASYNC, 0),
		T_SIGNAL(0), T_AWAIT(0),   T_LDS_LOAD(3, 2), T_WAIT_LDS,
		T_END,
	};
	static const uint32_t signals_early[] = {
		BEGIN,      T_ONLY(0, 1),     T_COPY_IN(2, 2), T_SIGNAL(0), T_WAIT(ASYNC, 0),
		T_AWAIT(0), T_LDS_LOAD(3, 2), T_WAIT_LDS,      T_END,
	};
	ok(is_proved(RUN_OFTEN(publishes)), "a barrier after the wait publishes a copy");
	RACES(signals_early, "a barrier that is signalled before the wait does not");
	ENDS_WITH(signals_early, "no t_wait async 0 before its t_signal (+0x28)",
	          "the finding names the signal");
}

/* ---- tiles ---- */

/* Of the first 16 lanes, whether the dwords at 1024 are 4 * lane + first. */
static bool tile_is_from(uint32_t first) {
	for (uint32_t i = 0; i < 16; i++)
		if (get(1024 + 4 * i) != first + 4 * i)
			return false;
	return true;
}

#define LOAD_TILE T_LDS_LOAD(3, 2), T_WAIT_LDS, T_STORE(3, 7), T_END

static void test_tiles(void) {
	static const uint32_t no_lanes[] = {
		BEGIN, T_EXEC(0), T_TILE_IN(2, 2), T_EXEC(0xffff), T_WAIT(TILE, 0), LOAD_TILE,
	};
	static const uint32_t none[] = { BEGIN, T_TILE_IN(2, 2), LOAD_TILE };
	static const uint32_t in_order[] = {
		BEGIN, T_TILE_IN(2, 2), T_TILE_IN(2, 6), T_WAIT(TILE, 0), LOAD_TILE,
	};
	static const uint32_t first[] = {
		BEGIN, T_TILE_IN(2, 6), T_TILE_IN(6, 2), T_WAIT(TILE, 1), LOAD_TILE,
	};
	static const uint32_t mixed[] = {
		BEGIN,           T_COPY_IN(2, 2),  T_TILE_IN(2, 6),
		T_WAIT(TILE, 0), T_WAIT(ASYNC, 0), LOAD_TILE,
	};
	items = 32;
	ok(is_proved(RUN_OFTEN(no_lanes)) && tile_is_from(0),
	   "a wave copies a tile, whatever EXEC is");
	RACES(none, "without a wait a read is a race");
	ok(is_proved(RUN_OFTEN(in_order)) && tile_is_from(512),
	   "tiles land in order, so the second of the same place stays");
	ok(is_proved(RUN_OFTEN(first)) && tile_is_from(512),
	   "a wait for 1 covers the first of two");
	RACES(mixed, "tiles and copies of lanes have no order");
	items = ITEMS;
}

static void test_full_counter(void) {
	static const uint32_t many[] = {
		BEGIN,           T_COPY_IN(1, 1),  T_COPY_IN(6, 6), T_COPY_IN(6, 6),
		T_COPY_IN(6, 6), T_COPY_IN(6, 6),  T_COPY_IN(6, 6), T_COPY_IN(6, 6),
		T_COPY_IN(6, 6), T_LDS_LOAD(3, 1), T_WAIT_LDS,      T_END,
	};
	const struct machine *m = RUN_OFTEN(many);
	ok(m->report.stats.most[ASYNC] <= 7, "at most as many are in flight as the counter counts");
}

int main(void) {
	test_wait();
	test_out();
	test_counted_in_order();
	test_any_order();
	test_waves();
	test_tiles();
	test_full_counter();
	return done_testing();
}
