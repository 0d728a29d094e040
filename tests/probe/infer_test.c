/* The closed loop: a hidden profile answers, and inference finds it or names the fields that no
 * result tells apart. And devices that are no member of the family. */
#include "../../oracle/probe/infer.h"
#include "member.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1000, NIGHTLY = 8000 }; /* hidden profiles */

static double as_double(uint64_t bits) {
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static bool find(const char *name, struct mx_probe_insn *insn) {
	for (size_t i = 0; mx_probe_insn_at(i, insn); i++)
		if (!strcmp(insn->name, name))
			return true;
	return false;
}

struct device {
	struct mx_answers a;
	struct mx_probe_dot *dot;
	uint64_t *d;
	struct mx_inference x;
};

static struct device *open_device(const char *name) {
	struct mx_probe_insn insn;
	struct device *t = calloc(1, sizeof *t);
	size_t n = 0;
	if (find(name, &insn))
		t->dot = mx_probe_questions(&insn, &n);
	t->d = calloc(n + 1, sizeof *t->d);
	mx_answers_make(&t->a, &insn, t->dot, t->d, n);
	return t;
}

static void close_device(struct device *t) {
	mx_answers_free(&t->a);
	free(t->dot);
	free(t->d);
	free(t);
}

/* The device has this arithmetic. */
static void answer(struct device *t, const mx_profile *p) {
	struct mx_probe_steps steps;
	mx_probe_steps(p, t->a.insn.k, &steps);
	for (size_t i = 0; i < t->a.n; i++)
		t->d[i] = mx_probe_result(&t->a.insn, p, &steps, &t->a.terms[i]);
}

/* ---- the closed loop ---- */

/* Fields that differ from the hidden profile though they are called measured. */
static unsigned wrongly_measured(const struct device *t, const mx_profile *hidden) {
	const struct mx_family_field *f;
	mx_profile h = *hidden, p = t->x.profile;
	unsigned wrong = 0;
	for (size_t i = 0; (f = mx_family_at(i)); i++)
		wrong += *mx_family_value(&h, f) != *mx_family_value(&p, f) &&
		         t->x.field[i].matters && t->x.field[i].decided;
	return wrong;
}

static bool recovers(struct device *t, const mx_profile *hidden, bool *undecided) {
	answer(t, hidden);
	mx_infer(&t->a, &t->x);
	*undecided = false;
	for (size_t i = 0; mx_family_at(i); i++)
		*undecided |= t->x.field[i].matters && !t->x.field[i].decided;
	unsigned wrong = t->x.fits ? wrongly_measured(t, hidden) : 1;
	if (wrong) {
		diag("%s: %s", t->a.insn.name, t->x.fits ? "measured another value" : "no fit");
		print_member("hidden", hidden);
		print_member("found", &t->x.profile);
	}
	return !wrong;
}

struct loop {
	const char *name;
	unsigned profiles;
	mx_profile *hidden;
	atomic_uint found, with_undecided;
};

static struct loop start_loop(const char *name, unsigned profiles, uint64_t seed) {
	struct loop l = { name, profiles, calloc(profiles, sizeof *l.hidden), 0, 0 };
	struct device *t = open_device(name);
	for (unsigned i = 0; i < profiles; i++)
		l.hidden[i] = draw_member_of(&t->a.insn, &seed);
	close_device(t);
	return l;
}

static void find_hidden(struct loop *l, unsigned i) {
	struct device *t = open_device(l->name);
	bool undecided;
	l->found += recovers(t, &l->hidden[i], &undecided);
	l->with_undecided += undecided;
	close_device(t);
}

static void end_loop(struct loop *l) {
	ok(l->found == l->profiles, "%s: %u of %u hidden profiles found, %u with undecided fields",
	   l->name, l->found, l->profiles, l->with_undecided);
	free(l->hidden);
}

static void test_loop(const char *name, unsigned profiles, uint64_t seed) {
	struct loop l = start_loop(name, profiles, seed);
	for (unsigned i = 0; i < profiles; i++)
		find_hidden(&l, i);
	end_loop(&l);
}

/* ---- many, on all processors ---- */

enum { MOST_LOOPS = 16, MOST_THREADS = 64 };

struct loops {
	struct loop loop[MOST_LOOPS];
	unsigned n, profiles;
	atomic_uint next;
};

static void *run_loops(void *of) {
	struct loops *x = of;
	unsigned i;
	while ((i = x->next++) < x->n * x->profiles)
		find_hidden(&x->loop[i % x->n], i / x->n);
	return NULL;
}

static void test_loops(const char *const *names, unsigned n, unsigned profiles) {
	struct loops x = { .n = n, .profiles = profiles };
	pthread_t thread[MOST_THREADS];
	long threads = sysconf(_SC_NPROCESSORS_ONLN);
	threads = threads < MOST_THREADS ? threads : MOST_THREADS;
	for (unsigned i = 0; i < n; i++)
		x.loop[i] = start_loop(names[i], profiles, 100 + i);
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, run_loops, &x);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 0; i < n; i++)
		end_loop(&x.loop[i]);
}

/* What lets a device that computes something else be refused at once. */
static void test_sums(const char *name) {
	struct device *t = open_device(name);
	mx_profile exact = { .parts = 1, .group = t->a.insn.k };
	uint64_t random = 1;
	unsigned wrong = 0, dots = 0;
	answer(t, &exact);
	for (unsigned i = 0; i < 100; i++) {
		mx_profile p = draw_member_of(&t->a.insn, &random);
		struct mx_probe_steps steps;
		mx_probe_steps(&p, t->a.insn.k, &steps);
		for (size_t k = 0; k < t->a.n; k++)
			if (t->dot[k].question == MX_QUESTION_SUM && ++dots)
				wrong += mx_probe_result(&t->a.insn, &p, &steps, &t->a.terms[k]) !=
				         t->d[k];
	}
	ok(dots && !wrong, "%s: 100 profiles agree on small sums", name);
	close_device(t);
}

static void test_named(const char *name, const char *profile) {
	struct device *t = open_device(name);
	mx_profile hidden = mx_family_canonical(mx_profile_by_name(profile), t->a.insn.k);
	bool undecided;
	ok(recovers(t, &hidden, &undecided) && t->x.profile.group == hidden.group &&
	           t->x.profile.align == hidden.align && t->x.profile.parts == hidden.parts,
	   "%s under %s", name, profile);
	close_device(t);
}

/* The same results as those of an exact member. */
static void test_as_exact(void) {
	struct device *t = open_device("mma_m16n8k32_e4m3");
	mx_profile hidden = { .group = 1,
		              .parts = 1,
		              .fused = 1,
		              .align = 38,
		              .cut = MX_CUT_ODD,
		              .round = 1,
		              .bits = 22 };
	bool undecided;
	hidden = mx_family_canonical(&hidden, t->a.insn.k);
	ok(recovers(t, &hidden, &undecided) && undecided,
	   "an aligned step that is as an exact one");
	close_device(t);
}

/* The same results as those of a member that is not fused and cuts toward zero. */
static void test_other_arithmetic(void) {
	struct device *t = open_device("mma_m16n8k8_tf32");
	mx_profile hidden = { .group = 1,
		              .parts = 1,
		              .fused = 1,
		              .late = 1,
		              .align = 30,
		              .cut = MX_CUT_FLOOR,
		              .low = 141,
		              .bits = 17,
		              .limit = 129,
		              .over = 1,
		              .zero = 1 };
	bool undecided;
	ok(recovers(t, &hidden, &undecided) && undecided, "fused, or not");
	close_device(t);
}

/* ---- wrong devices ---- */

static void is_no_member(struct device *t, const char *what) {
	mx_infer(&t->a, &t->x);
	ok(!t->x.fits && t->x.dot < t->a.n && t->x.would_be != t->d[t->x.dot],
	   "%s: no profile fits, dot %zu is the evidence", what, t->x.dot);
}

static const mx_profile aligned = { .group = 16, .align = 25, .parts = 1, .fused = 1, .round = 1 },
			chain = { .group = 1, .parts = 1 };

static void test_wrong(const char *name, const mx_profile *hidden) {
	struct device *t = open_device(name);
	uint64_t random = 3;
	is_no_member(t, "zeros");
	for (size_t i = 0; i < t->a.n; i++) {
		t->d[i] = next_random(&random);
		t->d[i] = mx_probe_is_f64(&t->a.insn) ? t->d[i] : (uint32_t)t->d[i];
	}
	is_no_member(t, "noise");
	answer(t, hidden);
	memmove(t->d, t->d + 1, (t->a.n - 1) * sizeof *t->d);
	is_no_member(t, "results of the next dot");
	close_device(t);
}

/* The whole search fails: few products, so that it is short. */
static void test_wrong_bit(void) {
	struct device *t = open_device("mma_m16n8k4_tf32");
	mx_profile p = mx_family_canonical(&aligned, t->a.insn.k);
	answer(t, &p);
	t->d[t->a.n / 2] ^= 1;
	is_no_member(t, "one wrong bit");
	close_device(t);
}

/* An f64 instruction that computes in f32: right for small sums. */
static void test_narrow(void) {
	struct device *t = open_device("v_mfma_f64_16x16x4_f64");
	for (size_t i = 0; i < t->a.n; i++) {
		float sum = (float)as_double(t->dot[i].c);
		for (unsigned k = 0; k < t->a.insn.k; k++)
			sum = fmaf((float)as_double(t->dot[i].a[k]),
			           (float)as_double(t->dot[i].b[k]), sum);
		double d = sum;
		memcpy(&t->d[i], &d, sizeof d);
	}
	is_no_member(t, "f32 instead of f64");
	close_device(t);
}

/* The codes of one type read as another. */
static void test_other_type(void) {
	struct device *t = open_device("mma_m16n8k16_f16");
	struct mx_probe_insn bf16 = t->a.insn;
	struct mx_probe_product product[16];
	struct mx_probe_terms terms = { product };
	struct mx_probe_steps steps;
	mx_probe_steps(&aligned, bf16.k, &steps);
	bf16.a = bf16.b = &mx_types[MX_TYPE_BF16];
	for (size_t i = 0; i < t->a.n; i++) {
		mx_probe_terms(&bf16, &t->dot[i], &terms);
		t->d[i] = mx_probe_result(&bf16, &aligned, &steps, &terms);
	}
	is_no_member(t, "another instruction");
	close_device(t);
}

int main(void) {
	static const char *const names[] = { "mma_m16n8k16_f16",
		                             "mma_m16n8k32_e4m3",
		                             "mma_m16n8k8_tf32",
		                             "v_mfma_f32_16x16x32_bf16",
		                             "mma_m16n8k32_s8",
		                             "v_mfma_f32_32x32x16_bf8_fp8",
		                             "v_mfma_scale_f32_32x32x64_f8f6f4_E5M2_E4M3",
		                             "v_mfma_scale_f32_16x16x128_f8f6f4_E2M1_E2M1",
		                             "v_mfma_f32_16x16x4_f32",
		                             "v_mfma_f32_32x32x2_f32",
		                             "v_mfma_f64_16x16x4_f64" };
	enum { NAMES = sizeof names / sizeof *names };
	_Static_assert((int)NAMES <= (int)MOST_LOOPS, "a loop for each");
	test_named("v_mfma_f32_32x32x16_f16", "cdna3_half");
	test_sums(names[1]);
	test_sums(names[7]);
	test_wrong("mma_m16n8k16_f16", &aligned);
	test_wrong("v_mfma_f64_16x16x4_f64", &chain);
	test_wrong_bit();
	test_narrow();
	test_other_type();
	test_loop(names[0], 1, 11);
	test_loop(names[1], 1, 12);
	test_loop(names[4], 1, 13);
	test_loop(names[8], 1, 14);
	test_loop(names[10], 1, 15);
	if (is_long()) {
		test_other_arithmetic();
		test_as_exact();
		test_named("v_mfma_f32_32x32x16_fp8_fp8", "cdna3");
		test_named("v_mfma_f32_16x16x32_bf16", "fma32");
		test_loops(names, NAMES, ((is_nightly() ? NIGHTLY : LONG) + NAMES - 1) / NAMES);
	}
	return done_testing();
}
