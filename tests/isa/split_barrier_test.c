/* Barriers that a wave signals by one instruction and waits for by another, and several barriers of
 * a workgroup, on an instruction set that has them. */
#include "toy_programs.h"

/* ---- a signal, then a wait ---- */

static void test_exchange(void) {
	/* Both waves load what the first has stored, and store it 512 bytes after their items. */
	static const uint32_t exchange[] = {
		ITEM_ADDRESS,   T_LDS_STORE(0, 1), T_WAIT_LDS,
		T_SIGNAL(0),    LANE_ADDRESS, /* while others arrive */
		T_WAVE_SIZE(5), T_SHL2(5, 5),      T_SHL2(5, 5),
		T_ADD(6, 1, 5), T_AWAIT(0),        T_LDS_LOAD(3, 2),
		T_WAIT_LDS,     T_STORE(3, 6),     T_END,
	};
	const struct machine *m = RUN_OFTEN(exchange);
	unsigned right = 0;
	for (unsigned i = 0; i < ITEMS; i++)
		right += get(512 + 4 * i) == i % 32;
	ok(is_proved(m) && right == ITEMS,
	   "what a wave has waited for before its signal is over after the waits of others");
}

static void test_broken(void) {
	static const uint32_t late_store[] = {
		ITEM_ADDRESS, LANE_ADDRESS, T_SIGNAL(0),      T_LDS_STORE(0, 1),
		T_WAIT_LDS,   T_AWAIT(0),   T_LDS_LOAD(3, 2), T_END,
	};
	static const uint32_t no_wait[] = {
		ITEM_ADDRESS, LANE_ADDRESS,     T_LDS_STORE(0, 1), T_SIGNAL(0),
		T_AWAIT(0),   T_LDS_LOAD(3, 2), T_WAIT_LDS,        T_END,
	};
	static const uint32_t early_load[] = {
		ITEM_ADDRESS,     LANE_ADDRESS, T_LDS_STORE(0, 1), T_WAIT_LDS, T_SIGNAL(0),
		T_LDS_LOAD(3, 2), T_AWAIT(0),   T_WAIT_LDS,        T_END,
	};
	RACES(late_store, "a store after the signal is a race with a load after the wait");
	RACES(no_wait, "so is a store that the signalling wave has not waited for");
	RACES(early_load, "so is a load between signal and wait");
	ENDS_WITH(no_wait, "no t_wait lds 0 before its t_signal (+0x10)",
	          "the finding names the signal before which a wait is missing");
}

/* The first wave may be at the next barrier when the second one loads. */
static void test_named_barrier(void) {
	static const uint32_t code[] = {
		ITEM_ADDRESS, LANE_ADDRESS,     T_LDS_STORE(0, 1), T_SIGNAL(0), T_AWAIT(0),
		T_ONLY(1, 1), T_LDS_LOAD(3, 2), T_SIGNAL(0),       T_AWAIT(0),  T_WAIT_LDS,
		T_END,
	};
	unsigned right = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		const struct machine *m = run_seed(code, sizeof code, seed);
		right += finding_says(m, "no t_wait lds 0 before its t_signal (+0x10)");
	}
	ok(right == SEEDS, "a finding names the barrier between the two, under every schedule");
}

/* The order holds in both directions, round after round. */
static void test_rounds(void) {
	static const uint32_t rounds[] = {
		LANE_ADDRESS, T_ONLY(0, 2), T_LDS_STORE(0, 2), T_WAIT_LDS,
		T_SIGNAL(0),  T_AWAIT(0),   T_LDS_LOAD(3, 2),  T_WAIT_LDS,
		T_SIGNAL(0),  T_AWAIT(0),   T_ONLY(0, 2),      T_LDS_STORE(2, 2),
		T_WAIT_LDS,   T_SIGNAL(0),  T_AWAIT(0),        T_LDS_LOAD(4, 2),
		T_WAIT_LDS,   T_END,
	};
	static const uint32_t last_missing[] = {
		LANE_ADDRESS, T_ONLY(0, 2),      T_LDS_STORE(0, 2), T_WAIT_LDS,
		T_SIGNAL(0),  T_AWAIT(0),        T_LDS_LOAD(3, 2),  T_WAIT_LDS,
		T_ONLY(0, 2), T_LDS_STORE(2, 2), T_WAIT_LDS,        T_SIGNAL(0),
		T_AWAIT(0),   T_LDS_LOAD(4, 2),  T_WAIT_LDS,        T_END,
	};
	ok(is_proved(RUN_OFTEN(rounds)), "a barrier is used again and again");
	RACES(last_missing, "a round without it is a race");
}

/* ---- waves that end, and signals that are missing ---- */

static void test_ended(void) {
	static const uint32_t ends[] = {
		LANE_ADDRESS, T_ONLY(0, 3), T_LDS_STORE(0, 2), T_WAIT_LDS, T_END,
		T_SIGNAL(0),  T_AWAIT(0),   T_LDS_LOAD(3, 2),  T_WAIT_LDS, T_END,
	};
	static const uint32_t no_signal[] = {
		T_ONLY(0, 1),
		T_SIGNAL(0),
		T_AWAIT(0),
		T_END,
	};
	static const uint32_t twice[] = {
		T_ONLY(0, 3), T_SIGNAL(0), T_SIGNAL(0), T_END, T_AWAIT(0), T_END,
	};
	ok(is_proved(RUN_OFTEN(ends)), "a wave that has ended need not signal");
	ENDS_WITH(no_signal,
	          "no wave can make progress; waves of this workgroup: 0 at +0xc at a barrier, 1 "
	          "at +0xc at a barrier",
	          "without the signal of a wave the launch ends where its waves wait");
	ENDS_WITH(twice, "signals a barrier again before it completes",
	          "a wave signals a barrier once before it completes");
}

/* ---- several barriers ---- */

/* Barrier 1 completes after one signal; barrier 0 makes sure that it does. */
#define BEGIN_SECOND T_EXPECT(1, 1), T_JOIN(1), T_SIGNAL(0), T_AWAIT(0), LANE_ADDRESS

static void test_two_barriers(void) {
	static const uint32_t right[] = {
		BEGIN_SECOND, T_ONLY(0, 4), T_LDS_STORE(0, 2), T_WAIT_LDS, T_SIGNAL(1),
		T_END,        T_AWAIT(1),   T_LDS_LOAD(3, 2),  T_WAIT_LDS, T_END,
	};
	static const uint32_t late_store[] = {
		BEGIN_SECOND, T_ONLY(0, 4), T_SIGNAL(1),      T_LDS_STORE(0, 2), T_WAIT_LDS,
		T_END,        T_AWAIT(1),   T_LDS_LOAD(3, 2), T_WAIT_LDS,        T_END,
	};
	static const uint32_t other_barrier[] = {
		BEGIN_SECOND, T_ONLY(0, 5),     T_LDS_STORE(0, 2),
		T_WAIT_LDS,   T_SIGNAL(1),      T_SIGNAL(0),
		T_END,        T_SIGNAL(0),      T_AWAIT(1),
		T_AWAIT(0),   T_LDS_LOAD(3, 2), T_WAIT_LDS,
		T_END,
	};
	static const uint32_t not_waited[] = {
		BEGIN_SECOND, T_ONLY(0, 4),     T_LDS_STORE(0, 2), T_WAIT_LDS, T_SIGNAL(1),
		T_END,        T_LDS_LOAD(3, 2), T_WAIT_LDS,        T_AWAIT(1), T_END,
	};
	ok(is_proved(RUN_OFTEN(right)),
	   "a barrier completes after the signals that it expects, and orders what follows a wait");
	ok(is_proved(RUN_OFTEN(other_barrier)), "a wave may wait for several");
	RACES(late_store, "a store after the signal is not ordered");
	RACES(not_waited, "a completed barrier orders nothing before the wave waits for it");
}

/* The first of three waves stores, signals barrier 1 and ends. Barriers 1 and 2 expect so many
 * signals.
 */
#define BEGIN_THREE(one, two)                                                                      \
	T_EXPECT(1, one), T_EXPECT(2, two), T_SIGNAL(0), T_AWAIT(0), LANE_ADDRESS, T_ONLY(0, 4),   \
		T_LDS_STORE(0, 2), T_WAIT_LDS, T_SIGNAL(1), T_END
#define LOAD_AND_END T_LDS_LOAD(3, 2), T_WAIT_LDS, T_END

static void test_three_waves(void) {
	static const uint32_t chain[] = {
		BEGIN_THREE(1, 2), T_ONLY(1, 3), T_AWAIT(1),   T_SIGNAL(2), T_END,
		T_SIGNAL(2),       T_AWAIT(2),   LOAD_AND_END,
	};
	static const uint32_t broken_chain[] = {
		BEGIN_THREE(1, 2), T_ONLY(1, 3), T_SIGNAL(2),  T_AWAIT(1), T_END,
		T_SIGNAL(2),       T_AWAIT(2),   LOAD_AND_END,
	};
	static const uint32_t other_later[] = {
		BEGIN_THREE(1, 1), T_ONLY(1, 2), T_SIGNAL(2),  T_END,
		T_AWAIT(1),        T_AWAIT(2),   LOAD_AND_END,
	};
	items = 96;
	ok(is_proved(RUN_OFTEN(chain)), "a wave brings to a barrier what it obtained at another");
	RACES(broken_chain, "but not what it obtains later");
	ok(is_proved(RUN_OFTEN(other_later)), "it keeps what it obtained");
	items = ITEMS;
}

/* The waves run one after the other. The signal of the first does not count, because the barrier
 * begins again after it. */
static void test_begun_again(void) {
	static const struct mx_schedule sequential = { .odd = UINT64_MAX };
	static const uint32_t code[] = {
		T_EXPECT(1, 2), LANE_ADDRESS, T_ONLY(0, 5),   T_LDS_STORE(0, 2),
		T_WAIT_LDS,     T_SIGNAL(1),  T_EXPECT(1, 1), T_END,
		T_EXPECT(1, 1), T_SIGNAL(1),  T_AWAIT(1),     LOAD_AND_END,
	};
	schedule = &sequential;
	RACES(code, "a barrier that begins again has nothing of earlier signals");
	schedule = NULL;
}

int main(void) {
	test_exchange();
	test_broken();
	test_named_barrier();
	test_rounds();
	test_ended();
	test_two_barriers();
	test_three_waves();
	test_begun_again();
	return done_testing();
}
