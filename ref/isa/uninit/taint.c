/* Selects the values of unwritten bits to try; see taint.h. */
#include "taint.h"

/* Whether source i is the same register as an earlier source. */
static bool is_repeated(const struct mx_source_shape *shape, unsigned i) {
	return i < 3 && shape->same_as[i] != i;
}

static unsigned count_bits(const struct mx_source_shape *shape, const struct mx_unwritten *u) {
	unsigned n = 0;
	for (unsigned i = 0; i < MX_TAINT_SOURCES; i++)
		n += is_repeated(shape, i) ? 0 : (unsigned)__builtin_popcountll(u->of[i]);
	return n;
}

/* Adds a variable: these bits of source i, and of all sources that are the same register. */
static void add_variable(struct mx_trials *t, const struct mx_source_shape *shape, unsigned i,
                         uint64_t bits) {
	unsigned sources = 1u << i;
	if (!bits || t->n == MX_TAINT_VARIABLES)
		return;
	for (unsigned k = i + 1; k < 3; k++)
		sources |= (unsigned)(shape->same_as[k] == i) << k;
	t->variable[t->n++] = (struct mx_variable){ bits, (uint8_t)sources };
}

static void add_each_bit(struct mx_trials *t, const struct mx_source_shape *shape, unsigned i,
                         uint64_t bits) {
	for (; bits; bits &= bits - 1)
		add_variable(t, shape, i, bits & -bits);
}

/* The highest bit of each element. */
static uint64_t top_bits(unsigned element_bits) {
	switch (element_bits) {
	case 16: return 0x8000800080008000;
	case 32: return 0x8000000080000000;
	default: return 1ull << 63;
	}
}

/* A number, signed or not, has two variables: its top bit, and the rest. */
static void add_number(struct mx_trials *t, const struct mx_source_shape *shape, unsigned i,
                       uint64_t bits) {
	uint64_t top = i < 3 ? top_bits(shape->bits[i]) : 0;
	add_variable(t, shape, i, bits & top);
	add_variable(t, shape, i, bits & ~top);
}

static void add_source(uint64_t flags, struct mx_trials *t, const struct mx_source_shape *shape,
                       unsigned i, uint64_t bits) {
	bool controls = i < 3 && flags & MX_CONTROL0 << i;
	if (flags & MX_BITWISE && controls)
		add_each_bit(t, shape, i, bits);
	else if (flags & MX_BITWISE)
		add_variable(t, shape, i, bits);
	else
		add_number(t, shape, i, bits);
}

/* Sets bits from the lowest up, then clears them in the same order. */
static void scan(struct mx_trials *t, const struct mx_source_shape *shape, uint64_t bits) {
	add_each_bit(t, shape, 0, bits);
	t->combine = false;
	t->steps = 2 * t->n;
}

mx_taint_kind mx_plan_trials(uint64_t flags, const struct mx_source_shape *shape,
                             const struct mx_unwritten *u, struct mx_trials *t) {
	enum { MOST = 8 }; /* variables to combine */
	static const struct mx_source_shape apart = { { 64, 64, 64 }, { 0, 1, 2 } };
	bool all = count_bits(shape, u) <= MX_TAINT_BITS;
	t->n = t->steps = 0;
	t->combine = true;
	if (!all && flags & MX_SCANS) {
		scan(t, shape, u->of[0]);
		return MX_TAINT_ALL;
	}
	if (!all && !(flags & (MX_BITWISE | MX_ORDERED)))
		return MX_TAINT_UNKNOWN;
	if (!all && flags & (MX_CONTROL0 | MX_CONTROL1 | MX_CONTROL2))
		shape = &apart; /* a register that shifts itself counts as two */
	for (unsigned i = 0; i < MX_TAINT_SOURCES; i++) {
		if (is_repeated(shape, i))
			continue;
		if (all)
			add_each_bit(t, shape, i, u->of[i]);
		else
			add_source(flags, t, shape, i, u->of[i]);
	}
	if (t->n > MOST)
		return MX_TAINT_UNKNOWN;
	t->steps = (1u << t->n) - 1;
	return all ? MX_TAINT_ALL : flags & MX_BITWISE ? MX_TAINT_BITWISE : MX_TAINT_ORDERED;
}

uint64_t mx_smear_down(uint64_t v, unsigned element_bits) {
	uint64_t element = ~0ull >> (64 - element_bits), each = ~0ull / element;
	for (unsigned by = 1; by < element_bits; by *= 2)
		v |= v >> by & (element >> by) * each;
	return v;
}
