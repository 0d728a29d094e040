/* Members of the family, computed again from the definition in mxref.h with GMP. */
#include "member.h"

#include <gmp.h>
#include <string.h>

/* Numbers are integers in units of 2^UNIT. */
enum { UNIT = -900, NONE = -99999, NUMBER = 0, INFINITE, NOT };

struct value {
	int kind;
	bool negative;
	uint64_t sig;
	int exp, top;
};

static int lead_of(uint64_t sig) {
	return 63 - __builtin_clzll(sig);
}

static struct value value_of(uint32_t code, unsigned bits, unsigned exp_bits, unsigned man_bits,
                             int bias, mx_specials specials) {
	uint32_t field = code >> man_bits & ((1u << exp_bits) - 1),
		 man = code & ((1u << man_bits) - 1);
	bool top = field == (1u << exp_bits) - 1;
	struct value v = { .negative = code >> (bits - 1),
		           .sig = man | (field ? 1u << man_bits : 0) };
	v.top = (int)(field ? field : 1) - bias;
	v.exp = v.top - (int)man_bits;
	if (top && specials == MX_IEEE)
		v.kind = man ? NOT : INFINITE;
	if (top && specials == MX_NAN_ONLY && man == (1u << man_bits) - 1)
		v.kind = NOT;
	return v;
}

static bool is_subnormal(struct value v) {
	return v.kind == NUMBER && v.sig && v.exp + lead_of(v.sig) < v.top;
}

static struct value element(const mx_profile *p, const struct mx_format_info *f, uint32_t code,
                            int scale) {
	struct value v = value_of(code, f->bits, f->exp_bits, f->man_bits, f->bias, f->specials);
	if (is_subnormal(v) && p->flush & 1)
		v.sig = 0;
	else if (is_subnormal(v) && p->lead)
		v.top = v.exp + lead_of(v.sig);
	v.exp += scale - 127;
	v.top += scale - 127;
	v.kind = scale == 0xFF ? NOT : v.kind;
	return v;
}

static struct value accumulator(const mx_profile *p, uint32_t bits) {
	struct value v = value_of(bits, 32, 8, 23, 127, MX_IEEE);
	if (is_subnormal(v) && p->flush & 2)
		v.sig = 0;
	return v;
}

static struct value product(struct value a, struct value b) {
	struct value v = { .negative = a.negative ^ b.negative,
		           .sig = a.sig * b.sig,
		           .exp = a.exp + b.exp,
		           .top = a.top + b.top };
	bool zero = (a.kind == NUMBER && !a.sig) || (b.kind == NUMBER && !b.sig);
	int most = a.kind > b.kind ? a.kind : b.kind;
	v.kind = most == INFINITE && zero ? NOT : most;
	return v;
}

/* ---- arithmetic ---- */

static void set(mpz_t z, struct value v) {
	mpz_set_ui(z, v.sig);
	if (v.sig)
		mpz_mul_2exp(z, z, (mp_bitcnt_t)(v.exp - UNIT));
	if (v.negative)
		mpz_neg(z, z);
}

static void floor_at(mpz_t z, int exp) {
	if (exp > UNIT) {
		mpz_fdiv_q_2exp(z, z, (mp_bitcnt_t)(exp - UNIT));
		mpz_mul_2exp(z, z, (mp_bitcnt_t)(exp - UNIT));
	}
}

/* |z| to a multiple of 2^exp; 0 zero, 1 floor, 2 nearest even, 3 odd, as the field `cut`. */
static void cut_at(mpz_t z, int exp, unsigned cut) {
	mp_bitcnt_t n = (mp_bitcnt_t)(exp - UNIT);
	bool negative = mpz_sgn(z) < 0;
	if (exp <= UNIT)
		return;
	if (cut == 1) {
		floor_at(z, exp);
		return;
	}
	mpz_t rest;
	mpz_init(rest);
	mpz_abs(z, z);
	mpz_tdiv_r_2exp(rest, z, n);
	mpz_tdiv_q_2exp(z, z, n);
	bool half = mpz_tstbit(rest, n - 1), more = mpz_scan1(rest, 0) < n - 1;
	if (cut == 2 && half && (more || mpz_odd_p(z)))
		mpz_add_ui(z, z, 1);
	if (cut == 3 && mpz_sgn(rest))
		mpz_setbit(z, 0);
	mpz_mul_2exp(z, z, n);
	if (negative)
		mpz_neg(z, z);
	mpz_clear(rest);
}

static uint32_t to_f32(const mx_profile *p, mpz_t z) {
	unsigned man = p->bits ? p->bits : 23;
	bool negative = mpz_sgn(z) < 0;
	uint32_t sign = negative ? 0x80000000 : 0;
	if (!mpz_sgn(z))
		return 0;
	int lead = (int)mpz_sizeinbase(z, 2) - 1 + UNIT,
	    ulp = lead < -126 ? -126 - (int)man : lead - (int)man;
	cut_at(z, ulp, p->round ? 0 : 2);
	if (!mpz_sgn(z))
		return p->zero == 2 ? 0 : sign;
	lead = (int)mpz_sizeinbase(z, 2) - 1 + UNIT;
	mpz_abs(z, z);
	mpz_tdiv_q_2exp(z, z, (mp_bitcnt_t)((lead < -126 ? -149 : lead - 23) - UNIT));
	uint64_t sig = mpz_get_ui(z);
	if (lead > 127)
		return sign |
		       (p->over ? (0x7F800000u >> (23 - man) << (23 - man)) - (1u << (23 - man))
		                : 0x7F800000);
	if (lead < -126)
		return p->flush & 4 ? (p->zero == 2 ? 0 : sign) : sign | (uint32_t)sig;
	return sign | (uint32_t)(lead + 127) << 23 | (uint32_t)(sig & 0x7FFFFF);
}

/* ---- a step ---- */

struct step {
	const mx_profile *p;
	struct value term[MX_PROBE_K], c;
	unsigned n;
};

static unsigned part_of(const mx_profile *p, unsigned i) {
	return p->split ? i / (p->group / p->parts) : i % p->parts;
}

static int top_of(const struct step *s, int part) {
	int top = s->p->low ? -(int)s->p->low : NONE;
	for (unsigned i = 0; i < s->n; i++)
		if ((part < 0 || part_of(s->p, i) == (unsigned)part) && s->term[i].sig &&
		    s->term[i].top > top)
			top = s->term[i].top;
	return top;
}

static void sum_terms(const struct step *s, int part, int exp, mpz_t sum) {
	mpz_t z;
	mpz_init(z);
	for (unsigned i = 0; i < s->n; i++) {
		if (part >= 0 && part_of(s->p, i) != (unsigned)part)
			continue;
		set(z, s->term[i]);
		if (s->p->align)
			cut_at(z, exp, s->p->cut);
		mpz_add(sum, sum, z);
	}
	mpz_clear(z);
}

static void sum_apart(const struct step *s, mpz_t sum, mpz_t c) {
	const mx_profile *p = s->p;
	int q = top_of(s, -1), e = s->c.sig && s->c.top > q ? s->c.top : q;
	mpz_t part;
	mpz_init(part);
	for (unsigned i = 0; i < p->parts; i++) {
		mpz_set_ui(part, 0);
		sum_terms(s, (int)i, top_of(s, (int)i) - (int)p->align, part);
		floor_at(part, q - (int)(p->parts > 1 ? p->join : p->align));
		mpz_add(sum, sum, part);
	}
	mpz_clear(part);
	floor_at(sum, e - (int)p->dot);
	if (p->drop && s->c.top < e - (int)p->drop)
		mpz_set_ui(c, 0);
	floor_at(c, e - (int)p->acc);
	mpz_add(sum, sum, c);
	if (p->norm && mpz_sgn(sum))
		floor_at(sum, (int)mpz_sizeinbase(sum, 2) - 1 + UNIT - (int)p->norm);
}

static uint32_t finite_step(const struct step *s) {
	int e = top_of(s, -1);
	mpz_t sum, c;
	mpz_inits(sum, c, NULL);
	set(c, s->c);
	e = s->c.sig && s->c.top > e ? s->c.top : e;
	if (s->p->align && !s->p->fused) {
		sum_apart(s, sum, c);
	} else {
		sum_terms(s, -1, e - (int)s->p->align, sum);
		if (s->p->align)
			cut_at(c, e - (int)s->p->align, s->p->cut);
		mpz_add(sum, sum, c);
	}
	uint32_t d = to_f32(s->p, sum);
	mpz_clears(sum, c, NULL);
	return d;
}

static uint32_t end_step(struct step *s) {
	bool nan = s->c.kind == NOT, inf[2] = { false },
	     minus_zero = s->c.kind == NUMBER && !s->c.sig && s->c.negative;
	inf[s->c.negative] = s->c.kind == INFINITE;
	for (unsigned i = 0; i < s->n; i++) {
		struct value *t = &s->term[i];
		bool large = s->p->limit && t->kind == NUMBER && t->sig &&
		             lead_of(t->sig) + t->exp >= (int)s->p->limit;
		nan |= t->kind == NOT;
		inf[t->negative] |= t->kind == INFINITE || large;
		minus_zero &= t->kind == NUMBER && !t->sig && t->negative;
	}
	if (nan || (inf[0] && inf[1]))
		return s->p->nan ? s->p->nan : 0x7FC00000;
	if (inf[0] || inf[1])
		return inf[1] ? 0xFF800000 : 0x7F800000;
	if (minus_zero)
		return s->p->zero ? 0 : 0x80000000;
	return finite_step(s);
}

/* ---- a dot ---- */

/* Whether product k belongs to step `step` of K / group. */
static bool belongs(const mx_profile *p, unsigned K, unsigned k, unsigned step) {
	unsigned steps = K / p->group, half = p->group / 2;
	switch (p->order) {
	case MX_ORDER_DESCENDING: return k / p->group == steps - 1 - step;
	case MX_ORDER_STRIDED: return k % steps == step;
	case MX_ORDER_HALVES: return k % (K / 2) / half == step;
	case MX_ORDER_PAIRS: return k / 2 % steps == step;
	}
	return k / p->group == step;
}

static uint32_t result(const struct mx_probe_insn *insn, const mx_profile *p,
                       const struct mx_probe_dot *d) {
	uint32_t acc = p->late ? 0x80000000 : d->c;
	mx_profile last = { .parts = 1,
		            .round = p->late == 1 && p->round,
		            .bits = p->bits,
		            .flush = p->flush,
		            .nan = p->nan,
		            .zero = p->zero,
		            .over = p->over };
	for (unsigned at = 0; at < insn->k; at += p->group) {
		struct step s = { .p = p, .c = accumulator(p, acc) };
		for (unsigned k = 0; k < insn->k; k++)
			if (belongs(p, insn->k, k, at / p->group))
				s.term[s.n++] =
					product(element(p, insn->a, d->a[k], d->sa[k / MX_BLOCK]),
				                element(p, insn->b, d->b[k], d->sb[k / MX_BLOCK]));
		acc = end_step(&s);
	}
	if (p->late) {
		struct step s = { .p = &last, .c = accumulator(p, d->c), .n = 1 };
		s.term[0] = value_of(acc, 32, 8, 23, 127, MX_IEEE);
		acc = end_step(&s);
	}
	return acc;
}

/* ---- members ---- */

static void test_members(const struct mx_probe_insn *insn, unsigned members, unsigned step) {
	struct mx_term term[2 * MX_PROBE_K];
	struct mx_probe_terms terms = { term, term + MX_PROBE_K, 0 };
	size_t n, dots = 0, wrong = 0;
	struct mx_probe_dot *dot = mx_probe_questions(insn, &n);
	uint64_t random = n;
	for (unsigned i = 0; i < members && !wrong; i++) {
		mx_profile p = draw_member(insn->k, &random);
		for (size_t k = next_random(&random) % step; k < n && !wrong; k += step, dots++) {
			mx_probe_terms(insn, &dot[k], &terms);
			uint32_t d = mx_probe_result(insn, &p, &terms),
				 want = result(insn, &p, &dot[k]);
			if (d != want && ++wrong) {
				diag("%s dot %zu: 0x%08X, want 0x%08X",
				     mx_question_name(dot[k].question), k, d, want);
				print_member("the member", &p);
			}
		}
	}
	ok(dots && !wrong, "%s: %zu dots under %u profiles", insn->name, dots, members);
	free(dot);
}

int main(void) {
	static const char *const names[] = { "mma_m16n8k32_e4m3", "mma_m16n8k16_bf16",
		                             "mma_m16n8k8_tf32", "v_mfma_f32_16x16x32_f16",
		                             "v_mfma_scale_f32_16x16x128_f8f6f4_E5M2_E2M1" };
	struct mx_probe_insn insn;
	unsigned members = is_long() ? 2000 : 100;
	for (size_t i = 0; mx_probe_insn_at(i, &insn); i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			if (!strcmp(insn.name, names[j]))
				test_members(&insn, members, 400);
	return done_testing();
}
