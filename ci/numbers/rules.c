/* The rules of assumptions.def, and what a device answers. */
#include "rules.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "probe_report.h"
#include "rules_device.h"

enum { MOST_REGISTERS = 6 };

/* ---- one question ---- */

static bool is_as_assumed(const struct mx_answered *a) {
	return !a->judgement.wrong[0];
}

static const char *answer_of(const struct mx_answered *a) {
	unsigned n = a->judgement.answer;
	return n < exact_answers(a->question) ? a->question->answer[n] : "no known answer";
}

static void print_registers(FILE *to, const uint32_t *r, unsigned n) {
	for (unsigned i = 0; i < n && i < MOST_REGISTERS; i++)
		fprintf(to, " 0x%08X", r[i]);
	if (n > MOST_REGISTERS)
		fprintf(to, " ...");
}

/* The answer that all results have, or how many have each. */
static void print_answers(FILE *to, const struct mx_answered *a) {
	const struct exact_judgement *j = &a->judgement;
	unsigned n = exact_answers(a->question);
	if (j->answer < n) {
		fprintf(to, "%s;", a->question->answer[j->answer]);
		return;
	}
	fputs("no answer for all:", to);
	for (unsigned i = 0; i < n; i++)
		fprintf(to, " %zu results as \"%s\",", a->lanes - j->wrong[i],
		        a->question->answer[i]);
}

/* Of the first lane that differs: "0x3F800000 gives 0x00000000, not 0x00000001". */
static void print_first(FILE *to, const struct mx_answered *a) {
	const struct exact_judgement *j = &a->judgement;
	print_registers(to, a->in + j->first * a->n_in, a->n_in - a->n_out);
	fputs(" gives", to);
	print_registers(to, a->out + j->first * a->n_out, a->n_out);
	fputs(", not", to);
	print_registers(to, j->assumed + j->first * a->n_out, a->n_out);
}

static void print_difference(FILE *to, const struct mx_answered *a) {
	const struct exact_judgement *j = &a->judgement;
	fprintf(to, "  %s: ", a->question->kernel);
	print_answers(to, a);
	fprintf(to, " %zu of %zu results differ, the first in lane %zu:\n   ", j->wrong[0],
	        a->lanes, j->first);
	print_first(to, a);
	putc('\n', to);
}

/* "0: 65000, 1: 500, 2 to 3: 36". */
static void print_ulps(FILE *to, const struct mx_answered *a) {
	const char *comma = "";
	for (unsigned i = 0; i < MX_MOST_ULP_BUCKETS; i++) {
		unsigned long long least = i ? 1ull << (i - 1) : 0, most = i ? 2 * least - 1 : 0;
		if (!a->ulps[i])
			continue;
		fprintf(to, "%s%llu", comma, least);
		if (most > least)
			fprintf(to, " to %llu", most);
		fprintf(to, ": %zu", a->ulps[i]);
		comma = ", ";
	}
}

static void put_question(FILE *to, const struct mx_answered *a) {
	fprintf(to, "      - {kernel: %s, mode: 0x%02X, results: %zu, differ: %zu, answer: \"%s\"",
	        a->question->kernel, a->question->mode, a->lanes, a->judgement.wrong[0],
	        answer_of(a));
	if (!is_as_assumed(a)) {
		fprintf(to, ", lane: %zu, first: \"", a->judgement.first);
		print_first(to, a);
		putc('"', to);
	}
	if (!a->question->waves) {
		fputs(", ulp: \"", to);
		print_ulps(to, a);
		putc('"', to);
	}
	fputs("}\n", to);
}

/* ---- one rule ---- */

/* The answers to a rule's questions: lines to print after the rule, and YAML. */
struct answers {
	FILE *to[2];
	char *text[2];
	size_t n[2], questions, results, differ, failed;
};
enum { LINES, YAML };

static void count(struct answers *t, const struct mx_answered *a) {
	t->results += a->lanes;
	t->differ += !is_as_assumed(a);
	put_question(t->to[YAML], a);
	if (!is_as_assumed(a))
		print_difference(t->to[LINES], a);
	if (a->question->waves)
		return;
	fprintf(t->to[LINES], "  %-16s in ULP: ", a->question->kernel);
	print_ulps(t->to[LINES], a);
	putc('\n', t->to[LINES]);
}

/* A launch that fails is a result, too: the device may not have the instruction. */
static void ask_kernel(struct mx_rules *r, const struct exact_question *q, struct answers *t) {
	struct mx_answered a;
	struct mx_error err;
	t->questions++;
	if (!mx_rules_ask_one(r, q, &a, &err))
		count(t, &a);
	else {
		t->failed++;
		fprintf(t->to[LINES], "  %s\n", err.text);
		fprintf(t->to[YAML], "      - {kernel: %s, failed: true}\n", q->kernel);
	}
	mx_answered_free(&a);
}

static void ask(struct mx_rules *r, const struct exact_question *q, struct answers *t) {
	struct exact_question one = *q;
	for (size_t i = 0; (one.kernel = mx_rules_kernel_at(i)); i++)
		if (!fnmatch(q->kernel, one.kernel, 0))
			ask_kernel(r, &one, t);
}

/* Rows of hazards.def without a program. */
static void put_not_asked(const struct answers *t) {
	static const struct {
		const char *row, *reason;
	} rows[] = {
#define MX_WAIT(...)
#define MX_NO_WAIT(one, of_one, two, of_two, condition, reason)                                    \
	{ #one " " #of_one ", " #two " " #of_two ", " #condition, reason },
#include "../../kernels/probe/waits.def"
		{ "those of gfx1250", "mxcheck asks no gfx1250" },
	};
	fputs("    not_asked:\n", t->to[YAML]);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fprintf(t->to[LINES], "  no program for %s: %s\n", rows[i].row, rows[i].reason);
		fprintf(t->to[YAML], "      - {rows: \"%s\", reason: \"%s\"}\n", rows[i].row,
		        rows[i].reason);
	}
}

static bool ask_all(struct mx_rules *r, const char *rule, struct answers *t) {
	const struct exact_question *q;
	for (int i = 0; i < 2; i++)
		t->to[i] = open_memstream(&t->text[i], &t->n[i]);
	bool good = t->to[LINES] && t->to[YAML];
	for (size_t i = 0; good && (q = exact_question_at(i)); i++)
		if (!strcmp(q->rule, rule))
			ask(r, q, t);
	if (good && !strcmp(rule, mx_assumption_name(MX_ASSUMES_WAIT_STATES)))
		put_not_asked(t);
	for (int i = 0; i < 2; i++)
		if (t->to[i])
			fclose(t->to[i]);
	return good;
}

static void put_rule(FILE *to, mx_assumption rule, const char *verdict) {
	fprintf(to, "  - rule: %s\n    verdict: %s\n    ", mx_assumption_name(rule), verdict);
	mx_probe_put_member(to, "text", mx_assumption_text(rule));
}

static void print_rule(mx_assumption rule, const char *verdict, const struct answers *t) {
	printf("%-17s %-10s  ", mx_assumption_name(rule), verdict);
	if (t)
		printf("%zu question%s, %zu results: %s\n", t->questions,
		       t->questions == 1 ? "" : "s", t->results, mx_assumption_text(rule));
	else
		printf("%s\n", mx_assumption_no_probe(rule));
}

static void say(struct mx_rules *r, mx_assumption rule, const struct answers *t) {
	const char *verdict = t->failed ? "failed" : t->differ ? "differs" : "as assumed";
	r->asked++;
	r->failed += t->failed > 0;
	r->differ += !t->failed && t->differ;
	print_rule(rule, verdict, t);
	fputs(t->text[LINES], stdout);
	if (r->yaml) {
		put_rule(r->yaml, rule, verdict);
		fprintf(r->yaml, "    questions:\n%s", t->text[YAML]);
	}
}

static int ask_rule(struct mx_rules *r, mx_assumption rule, struct mx_error *err) {
	struct answers t = { .questions = 0 };
	bool good = ask_all(r, mx_assumption_name(rule), &t);
	if (good)
		say(r, rule, &t);
	free(t.text[LINES]);
	free(t.text[YAML]);
	return good ? 0 : mx_fail(err, "out of memory");
}

int mx_rules_ask(struct mx_rules *r, mx_assumption rule, struct mx_error *err) {
	const char *none = mx_assumption_no_probe(rule);
	if (!none)
		return ask_rule(r, rule, err);
	print_rule(rule, "no probe", NULL);
	if (r->yaml) {
		put_rule(r->yaml, rule, "no probe");
		fputs("    ", r->yaml);
		mx_probe_put_member(r->yaml, "reason", none);
	}
	return 0;
}

void mx_rules_yaml_begin(FILE *to, const struct mx_probe_set *about) {
	fputs("# Made by mxcheck probe --assumptions.\n", to);
	mx_probe_put_head(to, about);
	fputs("assumptions:\n", to);
}
