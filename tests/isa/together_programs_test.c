/* Random programs of several waves and workgroups (proof_program.h): lanes that are accessed
 * together leave the same as lanes that are accessed one by one.
 *
 *   together_programs_test.t SEED ROUNDS */
#include "both_ways.h"
#include "proof_program.h"

static unsigned differ;

static void set_up(struct machine *m, const struct program *p, uint64_t seed) {
	m->kernel.lds_bytes = LDS_BYTES + FLAG_BYTES;
	m->kernel.scratch_bytes = 16;
	m->launch.block[0] = 64 * p->waves;
	m->launch.grid[0] = p->groups;
	m->launch.scratch_apart = p->scratch_apart;
	m->launch.analysis = seed % 2 ? MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES : 0;
	m->launch.threads = seed % 8 ? 1 : 2;
	m->launch.max_instructions = 1 << 13; /* some programs do not end */
	m->launch.seed = seed;
}

static void try_program(uint64_t seed) {
	static struct program p;
	struct machine m = machine();
	uint64_t random = seed;
	make_program(&p, seed);
	whole.size = USED;
	fill_initial(&random, USED);
	memset(initial + GRID_FLAGS, 0, 64 * 4);
	memset(initial_state + GRID_FLAGS, MX_WRITTEN, 64 * 4);
	set_up(&m, &p, seed);
	const char *what = compare_ways(&m, p.dwords, 4 * p.n);
	if (what && differ++ < 5)
		diag("%s differ: program %llu of proof_test", what, (unsigned long long)seed);
}

int main(int argc, char **argv) {
	enum { ROUND = 100 };
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned rounds = rounds_of(argc, argv, 100, 18000);
	for (unsigned i = 0; i < rounds * ROUND; i++)
		try_program(seed + i);
	ok(!differ, "%u programs leave the same with lanes together and one by one",
	   rounds * ROUND);
	ok(reached[MX_TOGETHER_LDS_READ] > ROUND && reached[MX_TOGETHER_STORE] > ROUND,
	   "whose lanes are accessed together");
	end_both_ways();
	return done_testing();
}
