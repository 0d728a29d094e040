/* Questions about assumed rules: a device that gives any of the answers is told apart from the
 * others, and every rule with a probe has a question. */
#include "../../oracle/exact/assumed.h"
#include "../../ref/isa/encoding/assumptions.h"
#include "../tap.h"

#include <stdlib.h>

enum { WAVES = 16 }; /* of questions that leave it open */

static const struct kernel {
	const char *name;
	unsigned in, out;
} kernels[] = {
#define MX_QUESTION_KERNEL(name, d, a, b, c, text) { #name, (d) + (a) + (b) + (c), d },
#define MX_QUESTION_ASSEMBLY(name, d, a, b, c)     { #name, (d) + (a) + (b) + (c), d },
#include "../../kernels/probe/questions.def"
	{ "wait_*", 21, 1 }, /* those of waits.def */
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const struct kernel *kernel_of(const char *name) {
	for (unsigned i = 0; i < KERNELS; i++)
		if (!strcmp(kernels[i].name, name))
			return &kernels[i];
	return NULL;
}

/* A device that follows an answer, and one that gives a result of no answer. */
static void test_answers(const struct exact_question *q, const struct kernel *k) {
	size_t waves = q->waves ? q->waves : WAVES, lanes = waves * EXACT_LANES;
	uint32_t *in = malloc(lanes * k->in * sizeof *in);
	uint32_t *out = malloc(lanes * k->out * sizeof *out);
	unsigned n = exact_answers(q), right = 0;
	struct exact_judgement j;
	exact_ask(q, waves, k->in, in);
	for (unsigned a = 0; a < n; a++) {
		exact_answer(q, a, waves, k->in, k->out, in, out);
		right += exact_judge(q, waves, k->in, k->out, in, out, &j) && j.answer == a &&
		         !j.wrong[a] && (a == 0) == !j.wrong[0];
		if (j.answer != a)
			diag("answer %u (%s) looks like %u", a, q->answer[a], j.answer);
		free(j.assumed);
	}
	ok(n > 0 && right == n && (n > 1 || strchr(k->name, '*')),
	   "%s, %s: each of %u answers is told apart", q->rule, q->kernel, n);
	exact_answer(q, 0, waves, k->in, k->out, in, out);
	out[(lanes - 1) * k->out] ^= 1;
	exact_judge(q, waves, k->in, k->out, in, out, &j);
	ok(j.answer == n && j.wrong[0] == 1 && j.first == lanes - 1,
	   "  and one wrong bit of the last lane is found");
	free(j.assumed);
	free(in);
	free(out);
}

static bool is_asked(const char *rule) {
	const struct exact_question *q;
	for (size_t i = 0; (q = exact_question_at(i)); i++)
		if (!strcmp(q->rule, rule))
			return true;
	return false;
}

/* Each rule has a question, or a reason why it has none. */
static void test_rules(void) {
	for (mx_assumption a = MX_ASSUMES_NOTHING + 1; a < MX_ASSUMPTIONS; a++) {
		const char *name = mx_assumption_name(a);
		ok(is_asked(name) == !mx_assumption_no_probe(a), "%s has %s", name,
		   is_asked(name) ? "a probe, and no reason against it" : "a reason");
	}
}

static bool is_rule(const char *name) {
	for (mx_assumption a = MX_ASSUMES_NOTHING + 1; a < MX_ASSUMPTIONS; a++)
		if (!strcmp(name, mx_assumption_name(a)))
			return true;
	return false;
}

static void test_ulps(void) {
	uint32_t one[2] = { 0, 0x3ff00000 }, next[2] = { 1, 0x3ff00000 };
	uint32_t zero = 0, least = 1, below = 0x8001;
	ok(exact_ulps("FP64", next, one) == 1 && exact_ulps("FP64", one, one) == 0,
	   "neighbours in f64");
	ok(exact_ulps("FP16", &below, &least) == 2 && exact_ulps("FP32", &least, &zero) == 1,
	   "  across zero");
}

int main(void) {
	const struct exact_question *q;
	unsigned asked[KERNELS] = { 0 }, used = 0;
	test_rules();
	for (size_t i = 0; (q = exact_question_at(i)); i++) {
		const struct kernel *k = kernel_of(q->kernel);
		if (!ok(k && is_rule(q->rule), "%s has the rule %s and a kernel", q->kernel,
		        q->rule))
			continue;
		test_answers(q, k);
		used += !asked[k - kernels]++;
	}
	ok(used == KERNELS, "every kernel has a question");
	test_ulps();
	return done_testing();
}
