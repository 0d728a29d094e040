/* random.h: its types are those of ref/num, its dots are functions of seed and number. */
#include "../../oracle/probe/probe.h"
#include "../tap.h"

#include <string.h>

static void test_types(void) {
	struct mx_probe_insn insn;
	unsigned wrong = 0, n = 0;
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++, n++) {
		struct mx_probe_type t = mx_probe_type_of(insn.a->name);
		wrong += t.bits != insn.a->bits || t.exp != insn.a->exp_bits ||
		         t.man != insn.a->man_bits;
		wrong += t.max !=
		         (mx_probe_is_f64(&insn) ? 0x7FEFFFFFFFFFFFFF : mx_max_finite(insn.a));
		wrong += insn.k > MX_PROBE_K || (insn.scaled && insn.k % MX_BLOCK);
	}
	ok(n > 110 && !wrong, "types and K of %u instructions", n);
	ok(!mx_probe_type_of("E4M").bits && !mx_probe_type_of("E4M33").bits,
	   "other names have no type");
}

static bool is_special(const struct mx_format_info *t, uint64_t code) {
	return (code & (UINT64_MAX >> (65 - t->bits))) > mx_probe_type_of(t->name).max;
}

/* Whether a dot has a special code or scale. */
static bool has_special(const struct mx_probe_insn *insn, const struct mx_probe_dot *d) {
	for (unsigned k = 0; k < insn->k; k++)
		if (is_special(insn->a, d->a[k]) || is_special(insn->b, d->b[k]))
			return true;
	for (unsigned i = 0; insn->scaled && i < insn->k / MX_BLOCK; i++)
		if (d->sa[i] == 0xFF || d->sb[i] == 0xFF)
			return true;
	return false;
}

static void test_dots(const struct mx_probe_insn *insn) {
	struct mx_probe_dot d, again;
	unsigned special[8] = { 0 }, wrong = 0, cancelled = 0;
	memset(&d, 0, sizeof d);
	memset(&again, 0, sizeof again);
	for (unsigned n = 0; n < 800; n++) {
		unsigned pairs = 0;
		mx_probe_random(insn, 5, n, &d);
		mx_probe_random(insn, 5, n, &again);
		wrong += memcmp(&d, &again, sizeof d) != 0;
		special[n % 8] += has_special(insn, &d);
		for (unsigned k = 0; k < insn->k; k++)
			wrong += d.a[k] > UINT64_MAX >> (64 - insn->a->bits) ||
			         d.b[k] > UINT64_MAX >> (64 - insn->b->bits);
		for (unsigned k = 0; n % 8 == 6 && k < insn->k; k += 2)
			pairs += d.a[k] == d.a[k + 1] &&
			         d.b[k] == (d.b[k + 1] ^ UINT64_C(1) << (insn->b->bits - 1));
		cancelled += n % 8 == 6 && pairs >= insn->k / 2 - 1;
	}
	ok(!wrong, "%s: dots repeat, and codes are within their type", insn->name);
	ok(!special[1] && !special[4] && !special[7] && cancelled > 90,
	   "  no special codes after distribution 0, and pairs that cancel in 6");
}

int main(void) {
	struct mx_probe_insn insn;
	test_types();
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++)
		if (strstr(insn.name, "mma_m16n8k16_f16") || strstr(insn.name, "k8_tf32") ||
		    strstr(insn.name, "16x16x4_f64") || strstr(insn.name, "128_f8f6f4_E4M3_E4M3"))
			test_dots(&insn);
	return done_testing();
}
