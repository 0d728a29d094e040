/* What is known of pages of device memory, against the states of their bytes. */
#include "machine_test.h"

#include "../../ref/isa/machine/pages.h"

static bool all_are(mx_pages_kind kind, uint64_t from, uint64_t to) {
	for (uint64_t i = from; i < to; i++)
		if (kind == MX_PAGES_PLAIN     ? state[i] & MX_GUARD
		    : kind == MX_PAGES_WRITTEN ? !(state[i] & MX_WRITTEN)
		                               : state[i])
			return false;
	return true;
}

struct count {
	unsigned known, wrong;
};

static void ask(struct mx_pages *p, uint64_t *random, struct count *n) {
	uint64_t from = next_random(random) % whole.size;
	uint64_t most = next_random(random) % 8 ? 4096 : whole.size;
	uint64_t to = from + 1 + next_random(random) % most;
	mx_pages_kind kind = next_random(random) % MX_PAGES_KINDS;
	to = to < whole.size ? to : whole.size;
	if (!mx_pages_have(p, &whole, kind, from, to))
		return;
	n->known++;
	n->wrong += !all_are(kind, from, to);
}

/* Changes bytes. One kind loses its property, which the pages must record, and the other may get
 * it, which they need not. */
static void change(struct mx_pages *p, uint64_t *random) {
	uint64_t at = next_random(random) % whole.size;
	state[at] ^= MX_WRITTEN;
	bool written = state[at] & MX_WRITTEN, record = next_random(random) % 2;
	if (!written || record)
		mx_pages_changed(p, MX_PAGES_WRITTEN, at, at + 1, !written);
	if (written || record)
		mx_pages_changed(p, MX_PAGES_CLEAN, at, at + 1, written);
}

static void test_states(uint64_t *random, struct count *n) {
	struct mx_pages *p = mx_pages_new(1);
	whole.size = ARENA / 2 + next_random(random) % (ARENA / 2);
	memset(state, MX_WRITTEN, sizeof state);
	for (unsigned i = 0; i < 40; i++)
		state[next_random(random) % ARENA] ^=
			next_random(random) % 2 ? MX_WRITTEN : MX_GUARD;
	memset(state + next_random(random) % (ARENA / 2), 0, 3000);
	for (unsigned i = 0; i < 2000; i++) {
		ask(p, random, n);
		if (next_random(random) % 16 == 0)
			change(p, random);
	}
	mx_pages_free(p, 1);
}

static void test_sizes(void) {
	struct mx_pages *p = mx_pages_new(1);
	memset(state, MX_WRITTEN, sizeof state);
	whole.size = ARENA - 100;
	ok(mx_pages_have(p, &whole, MX_PAGES_PLAIN, 0, ARENA - 100) &&
	           mx_pages_have(p, &whole, MX_PAGES_WRITTEN, ARENA - 200, ARENA - 100),
	   "all pages of a region, the last of them shorter");
	state[70000] = 0;
	ok(mx_pages_have(p, &whole, MX_PAGES_PLAIN, 70000, 70001), "one byte without a guard");
	ok(!mx_pages_have(p, &whole, MX_PAGES_WRITTEN, 70001, 70002),
	   "nothing is known of the neighbours of an unwritten byte");
	mx_pages_free(p, 1);
}

int main(void) {
	uint64_t random = 1;
	struct count n = { 0 };
	for (unsigned i = 0; i < 40; i++)
		test_states(&random, &n);
	ok(n.known > 10000 && !n.wrong, "what is known is right, %u times", n.known);
	test_sizes();
	return done_testing();
}
