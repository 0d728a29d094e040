/* The arithmetic of sums.c, on the lanes of a wave: eight at a time, without branches. */
#include <string.h>

#include "sums.h"

enum { WIDTH = 8 };
typedef uint64_t eight __attribute__((vector_size(8 * WIDTH)));
typedef int64_t signed_eight __attribute__((vector_size(8 * WIDTH)));
#define INLINE static inline __attribute__((always_inline))

/* One number in each lane. */
struct numbers {
	eight value, unwritten;
	unsigned reg;
};

INLINE eight all(uint64_t v) {
	return v - (eight){ 0 };
}

INLINE bool any(eight v) {
	uint64_t one = 0;
	for (unsigned i = 0; i < WIDTH; i++)
		one |= v[i];
	return one;
}

INLINE eight choose(eight which, eight a, eight b) {
	return (which & a) | (~which & b);
}

/* All ones in lanes whose lowest bit is set. */
INLINE eight lowest(eight v) {
	return -(v & 1);
}

INLINE struct numbers not(struct numbers a) {
	return (struct numbers){ ~a.value & ~a.unwritten, a.unwritten, 0 };
}

INLINE struct numbers number(uint64_t value) {
	return (struct numbers){ all(value), all(0), 0 };
}

INLINE struct numbers sum(struct numbers a, struct numbers b, struct numbers carry) {
	eight most_a = a.value | a.unwritten, most_b = b.value | b.unwritten;
	eight least = a.value + b.value + carry.value;
	eight most = most_a + most_b + (carry.value | carry.unwritten);
	eight carries = (least ^ a.value ^ b.value) ^ (most ^ most_a ^ most_b);
	eight unwritten = a.unwritten | b.unwritten | carries;
	return (struct numbers){ least & ~unwritten, unwritten, 0 };
}

INLINE bool same(struct numbers a, struct numbers b) {
	return a.reg && a.reg == b.reg;
}

INLINE struct numbers shift(struct numbers a, unsigned by) {
	return (struct numbers){ a.value << by, a.unwritten << by, 0 };
}

INLINE struct numbers add(struct numbers a, struct numbers b) {
	return same(a, b) ? shift(a, 1) : sum(a, b, number(0));
}

INLINE struct numbers addc(struct numbers a, struct numbers b, struct numbers carry) {
	return same(a, b) ? sum(shift(a, 1), number(0), carry) : sum(a, b, carry);
}

INLINE struct numbers sub(struct numbers a, struct numbers b) {
	return same(a, b) ? number(0) : sum(a, not(b), number(1));
}

INLINE struct numbers subb(struct numbers a, struct numbers b, struct numbers borrow) {
	struct numbers carry = { ~(borrow.value | borrow.unwritten) & 1, borrow.unwritten, 0 };
	return sum(same(a, b) ? number(0) : a, same(a, b) ? number(~0ull) : not(b), carry);
}

INLINE struct numbers exclusive_or(struct numbers a, struct numbers b) {
	eight unwritten = same(a, b) ? all(0) : a.unwritten | b.unwritten;
	return (struct numbers){ (a.value ^ b.value) & ~unwritten, unwritten, 0 };
}

INLINE struct numbers shl(struct numbers a, struct numbers by) {
	eight any_bit = a.value | a.unwritten, unknown = (eight)(by.unwritten != 0);
	eight amount = by.value & ~unknown;
	return (struct numbers){ a.value << amount & ~unknown,
		                 choose(unknown, -(any_bit & -any_bit), a.unwritten << amount), 0 };
}

INLINE struct numbers shl_to_4(struct numbers a, struct numbers by) {
	by.value &= (eight)(by.value <= 4);
	return shl(a, by);
}

/* The bits of a number of set bits, by halves of ever larger fields. */
INLINE eight count(eight v) {
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return v * 0x0101010101010101 >> 56;
}

INLINE struct numbers ones(struct numbers a) {
	eight least = count(a.value), unwritten = least ^ count(a.value | a.unwritten);
	for (unsigned by = 1; by < 8; by *= 2) /* both are at most 64 */
		unwritten |= unwritten >> by;
	return (struct numbers){ least & ~unwritten, unwritten, 0 };
}

INLINE eight sign_extended(eight v, unsigned up) {
	return (eight)((signed_eight)(v << up) >> up);
}

INLINE struct numbers sext(struct numbers a, unsigned bits) {
	return (struct numbers){ sign_extended(a.value, 64 - bits),
		                 sign_extended(a.unwritten, 64 - bits), 0 };
}

/* A product of written numbers is one multiplication. */
INLINE struct numbers mul(struct numbers a, struct numbers b) {
	struct numbers p = number(0);
	if (!any(a.unwritten | b.unwritten))
		return (struct numbers){ a.value * b.value, all(0), 0 };
	for (; any(a.value | a.unwritten); b = shift(b, 1)) {
		eight set = lowest(a.value), unknown = lowest(a.unwritten);
		struct numbers row = { b.value & set,
			               (b.unwritten & set) | ((b.value | b.unwritten) & unknown),
			               0 };
		p = sum(p, row, number(0));
		a.value >>= 1;
		a.unwritten >>= 1;
	}
	return p;
}

INLINE struct numbers numbers_at(const struct mx_known_lanes *k, unsigned l) {
	struct numbers n = { .unwritten = all(k->unwritten), .reg = k->reg };
	memcpy(&n.value, k->value + l, sizeof n.value);
	return n;
}

#define A     numbers_at(&s[0], l)
#define B     numbers_at(&s[1], l)
#define C     numbers_at(&s[2], l)
#define CARRY numbers_at(&s[3], l)
#define MX_SUM(name, exact)                                                                        \
	static void sum_of_##name(const struct mx_known_lanes s[MX_TAINT_SOURCES],                 \
	                          uint64_t unwritten[MX_LANES]) {                                  \
		for (unsigned l = 0; l < MX_LANES; l += WIDTH) {                                   \
			struct numbers n = exact;                                                  \
			memcpy(unwritten + l, &n.unwritten, sizeof n.unwritten);                   \
		}                                                                                  \
	}
#include "sums.def"
#undef MX_SUM

mx_sum_finder MX_STEPPED(mx_sum_of_lanes);
mx_sum_lanes *MX_STEPPED(mx_sum_of_lanes)(const struct mx_op *op) {
	switch (op->id) {
#define MX_SUM(name, exact)                                                                        \
	case MX_OP_##name:                                                                         \
		return sum_of_##name;
#include "sums.def"
#undef MX_SUM
	default: return NULL;
	}
}
