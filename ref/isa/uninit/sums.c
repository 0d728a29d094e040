/* Arithmetic on partly known numbers, and the opcodes that are sums. */
#include "sums.h"

#include <string.h>

static struct mx_known not(struct mx_known a) {
	return (struct mx_known){ ~a.value & ~a.unwritten, a.unwritten, 0 };
}

static struct mx_known number(uint64_t value) {
	return (struct mx_known){ value, 0, 0 };
}

/* A bit of the sum may change if a bit of a number or the carry into it may change. The least
 * numbers have the fewest carries, the greatest the most. */
static struct mx_known sum(struct mx_known a, struct mx_known b, struct mx_known carry) {
	uint64_t most_a = a.value | a.unwritten, most_b = b.value | b.unwritten;
	uint64_t least = a.value + b.value + carry.value;
	uint64_t most = most_a + most_b + (carry.value | carry.unwritten);
	uint64_t carries = (least ^ a.value ^ b.value) ^ (most ^ most_a ^ most_b);
	uint64_t unwritten = a.unwritten | b.unwritten | carries;
	return (struct mx_known){ least & ~unwritten, unwritten, 0 };
}

static bool same(struct mx_known a, struct mx_known b) {
	return a.reg && a.reg == b.reg;
}

static struct mx_known shift(struct mx_known a, unsigned by) {
	return (struct mx_known){ a.value << by, a.unwritten << by, 0 };
}

static struct mx_known add(struct mx_known a, struct mx_known b) {
	return same(a, b) ? shift(a, 1) : sum(a, b, number(0));
}

static struct mx_known addc(struct mx_known a, struct mx_known b, struct mx_known carry) {
	return same(a, b) ? sum(shift(a, 1), number(0), carry) : sum(a, b, carry);
}

static struct mx_known sub(struct mx_known a, struct mx_known b) {
	return same(a, b) ? number(0) : sum(a, not(b), number(1));
}

static struct mx_known subb(struct mx_known a, struct mx_known b, struct mx_known borrow) {
	struct mx_known carry = { ~(borrow.value | borrow.unwritten) & 1, borrow.unwritten, 0 };
	return sum(same(a, b) ? number(0) : a, same(a, b) ? number(~0ull) : not(b), carry);
}

static struct mx_known exclusive_or(struct mx_known a, struct mx_known b) {
	uint64_t unwritten = same(a, b) ? 0 : a.unwritten | b.unwritten;
	return (struct mx_known){ (a.value ^ b.value) & ~unwritten, unwritten, 0 };
}

/* An unknown amount: all bits below the lowest bit that may be set stay 0. */
static struct mx_known shl(struct mx_known a, struct mx_known by) {
	uint64_t any = a.value | a.unwritten;
	return by.unwritten ? (struct mx_known){ 0, -(any & -any), 0 }
	                    : shift(a, (unsigned)by.value);
}

/* An amount above 4 counts as 0. */
static struct mx_known shl_to_4(struct mx_known a, struct mx_known by) {
	return shl(a, by.value > 4 ? (struct mx_known){ 0, by.unwritten, 0 } : by);
}

/* How many bits are set: a number from that of the written ones on. */
static struct mx_known ones(struct mx_known a) {
	uint64_t least = (uint64_t)__builtin_popcountll(a.value);
	uint64_t differ = least ^ (uint64_t)__builtin_popcountll(a.value | a.unwritten);
	uint64_t unwritten = differ ? ~0ull >> __builtin_clzll(differ) : 0;
	return (struct mx_known){ least & ~unwritten, unwritten, 0 };
}

static struct mx_known sext(struct mx_known a, unsigned bits) {
	unsigned up = 64 - bits;
	return (struct mx_known){ (uint64_t)((int64_t)(a.value << up) >> up),
		                  (uint64_t)((int64_t)(a.unwritten << up) >> up), 0 };
}

/* A sum of shifted copies of b. For an unknown bit of a, the copy may be added or not. */
static struct mx_known mul(struct mx_known a, struct mx_known b) {
	struct mx_known p = number(0);
	for (; a.value | a.unwritten; a = (struct mx_known){ a.value >> 1, a.unwritten >> 1, 0 }) {
		struct mx_known row = { 0, b.value | b.unwritten, 0 };
		if (a.value & 1)
			row = (struct mx_known){ b.value, b.unwritten, 0 };
		if ((a.value | a.unwritten) & 1)
			p = sum(p, row, number(0));
		b = shift(b, 1);
	}
	return p;
}

#define A     s[0]
#define B     s[1]
#define C     s[2]
#define CARRY s[3]
#define MX_SUM(name, exact)                                                                        \
	static struct mx_known sum_of_##name(const struct mx_known s[MX_TAINT_SOURCES]) {          \
		return exact;                                                                      \
	}
#include "sums.def"
#undef MX_SUM

mx_sum *mx_sum_of(const struct mx_op *op) {
	switch (op->id) {
#define MX_SUM(name, exact)                                                                        \
	case MX_OP_##name:                                                                         \
		return sum_of_##name;
#include "sums.def"
#undef MX_SUM
	default: return NULL;
	}
}
