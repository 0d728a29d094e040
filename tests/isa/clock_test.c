/* Vector clocks against plain arrays. */
#include "../../ref/isa/race/vector_clock.h"
#include "../random.h"
#include "../tap.h"

enum { COUNTERS = 12, ROUNDS = 2000 };

struct plain {
	uint32_t at[COUNTERS];
};

/* Few values, so that two clocks are often comparable. */
static struct plain random_plain(uint64_t *seed) {
	struct plain p;
	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t r = next_random(seed);
		p.at[i] = r & 1 ? r >> 8 & 3 : 0;
	}
	return p;
}

static struct mx_clock *clock_of(const struct plain *p) {
	struct mx_tick tick[COUNTERS];
	unsigned n = 0;
	for (unsigned i = 0; i < COUNTERS; i++)
		if (p->at[i])
			tick[n++] = (struct mx_tick){ 1000 * i, p->at[i] };
	return mx_clock_new(tick, n);
}

static bool equal(const struct mx_clock *c, const struct plain *p) {
	for (unsigned i = 0; i < COUNTERS; i++)
		if (mx_clock_at(c, 1000 * i) != p->at[i])
			return false;
	return true;
}

/* The expected results. */
struct wanted {
	struct plain join, meet;
	bool includes;
};

static struct wanted wanted(const struct plain *a, const struct plain *b) {
	struct wanted w = { .includes = true };
	for (unsigned i = 0; i < COUNTERS; i++) {
		w.join.at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
		w.meet.at[i] = a->at[i] < b->at[i] ? a->at[i] : b->at[i];
		w.includes &= a->at[i] >= b->at[i];
	}
	return w;
}

static void count(unsigned right[4], const struct plain *a, const struct plain *b) {
	const struct wanted want = wanted(a, b);
	struct mx_clock *x = clock_of(a), *y = clock_of(b);
	struct mx_clock *joined = mx_clock_keep(x), *met = mx_clock_keep(x);
	right[0] += mx_clock_join(&joined, y) && equal(joined, &want.join);
	right[1] += mx_clock_meet(&met, y) && equal(met, &want.meet);
	right[2] += mx_clock_includes(x, y) == want.includes;
	right[3] += equal(x, a) && equal(y, b);
	mx_clock_drop(joined);
	mx_clock_drop(met);
	mx_clock_drop(x);
	mx_clock_drop(y);
}

static void test_none(void) {
	struct mx_clock *one = mx_clock_new(&(struct mx_tick){ 5, 1 }, 1), *none = NULL;
	ok(mx_clock_includes(one, NULL) && !mx_clock_includes(NULL, one) &&
	           mx_clock_includes(NULL, NULL),
	   "NULL is below every clock");
	ok(mx_clock_meet(&none, one) && !mx_clock_at(none, 5), "the minimum with NULL is NULL");
	ok(mx_clock_meet(&one, NULL) && !mx_clock_at(one, 5), "in either order");
	mx_clock_drop(one);
}

int main(void) {
	static const char *const what[] = { "the maximum", "the minimum", "whether one is below",
		                            "both are unchanged" };
	unsigned right[4] = { 0 };
	uint64_t seed = 1;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct plain a = random_plain(&seed), b = random_plain(&seed);
		if (i % 4 == 0)
			b = a;
		if (i % 4 == 0)
			b.at[i / 4 % COUNTERS] = 0;
		count(right, &a, &b);
	}
	for (unsigned k = 0; k < 4; k++)
		if (!ok(right[k] == ROUNDS, "%s, of %d pairs", what[k], ROUNDS))
			diag("right of %u", right[k]);
	test_none();
	return done_testing();
}
