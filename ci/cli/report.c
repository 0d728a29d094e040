/* The report of mxcheck: a line for each case, its findings, a summary. */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../inspect/conflicts.h"
#include "../inspect/estimate.h"
#include "../reports/place.h"
#include "assumptions.h"
#include "beside.h"
#include "hunt_report.h"
#include "terminal.h"

/* A hunt that a write error of its journal ended before it found anything. */
static bool is_stopped(const struct mx_result *r) {
	return !r->bad_input && r->race.journal_error.text[0] && !mx_verdict_status(&r->verdict);
}

const char *mx_result_code(const struct mx_result *r, unsigned step, char path[4096]) {
	const char *line = r->code;
	for (unsigned i = 0; i < step; i++)
		line = strchr(line, '\n') + 1;
	snprintf(path, 4096, "%.*s", (int)strcspn(line, "\n"), line);
	return path;
}

int mx_result_status(const struct mx_result *r) {
	if (r->expected)
		return 0;
	return r->bad_input || is_stopped(r) ? 2 : mx_verdict_status(&r->verdict);
}

const struct mx_verdict *mx_result_order(const struct mx_result *r) {
	return r->beside ? &r->beside->emu.verdict : &r->verdict;
}

bool mx_result_is_brief(const struct mx_options *o, const struct mx_result *r) {
	return !mx_result_status(r) && !r->expected && !r->alone && !o->verbose && !o->tap;
}

void mx_report_start(const struct mx_options *o, const struct mx_device *d, size_t n) {
	if (o->tap)
		printf("TAP version 13\n1..%zu\n", n);
	char hardware[512];
	const char *lead = o->tap ? "# " : "";
	printf("%sdevice %s (%s, %s)%s, seed %" PRIu64, lead, d->name, d->arch, d->runtime,
	       o->beside ? " and emu" : "", o->seed);
	if (o->shards)
		printf(", shard %u of %u", o->shard, o->shards);
	printf(o->schedule ? ", one schedule (--schedule)\n" : "\n");
	if (!d->emu)
		printf("%s%s is %s\n", lead, d->name, mx_device_text(d, hardware, sizeof hardware));
	fflush(stdout);
}

/* ---- one case ---- */

static void decibels(char *text, size_t room, double snr) {
	if (isnan(snr))
		snprintf(text, room, "-");
	else
		snprintf(text, room, isinf(snr) ? "exact" : "%.2f dB", snr);
}

static void put_numbers(FILE *f, const struct mx_result *r) {
	char deq[24], unq[24];
	decibels(deq, sizeof deq, r->verdict.snr_dequantised);
	decibels(unq, sizeof unq, r->verdict.snr_unquantised);
	static const char *const units[] = {
		[MX_JUDGE_BITS] = "bits",   [MX_JUDGE_BOUND] = "bound",
		[MX_JUDGE_SET] = "set",     [MX_JUDGE_EXPECT] = "bytes",
		[MX_JUDGE_CLOSE] = "close", [MX_JUDGE_REPACK] = "bytes",
		[MX_JUDGE_NONE] = "none",
	};
	mx_judge judge = r->run->c->verdict.judge;
	fprintf(f, "%s %zu/%zu", units[judge], r->verdict.checked - r->verdict.wrong,
	        r->verdict.checked);
	if ((judge <= MX_JUDGE_SET && !r->run->c->reference) || !isnan(r->verdict.snr_dequantised))
		fprintf(f, "  snr deq %s unq %s", deq, unq);
	if (judge != MX_JUDGE_EXPECT && r->verdict.snr_rows)
		fprintf(f, " of %zux%zu elements", r->verdict.snr_rows, r->verdict.snr_cols);
	fprintf(f, "  %.3f s", r->seconds);
}

static bool has_control(const char *word) {
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 0x7f)
			return true;
	return false;
}

/* One word of a shell command, on one line: printf writes control characters. */
static void put_quoted(FILE *f, const char *lead, const char *word) {
	bool escapes = has_control(word);
	fprintf(f, "%s%s'", lead, escapes ? "\"$(printf " : "");
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else if (escapes && (*word == '%' || *word == '\\'))
			fprintf(f, "%c%c", *word, *word);
		else if (escapes && ((unsigned char)*word < ' ' || *word == 0x7f))
			fprintf(f, "\\%03o", *word);
		else
			putc(*word, f);
	fputs(escapes ? "')\"" : "'", f);
}

/* Whether a launch of a hunt, or the run before it, is what a command must repeat. */
static bool is_hunt(const struct mx_options *o, const struct mx_result *r) {
	return r->race.runs || (r->lost && o->race);
}

void mx_report_command(FILE *f, const struct mx_options *o, const struct mx_device *d,
                       const struct mx_result *r) {
	if (o->program[strcspn(o->program, " \t'\"$&;()<>|*?[]\\`")])
		put_quoted(f, "", o->program);
	else
		fprintf(f, "%s", o->program);
	if (o->case_file)
		put_quoted(f, " run --case ", o->case_file);
	if (o->code_object)
		put_quoted(f, " --co ", o->code_object);
	if (o->code_dir)
		put_quoted(f, " --code ", o->code_dir);
	if (o->assume & MX_ASSUME_SCRATCH_APART)
		fprintf(f, " --scratch-apart");
	if (o->assume & MX_ASSUME_THREADGROUP_SPLIT)
		fprintf(f, " --threadgroup-split");
	if (o->assume & MX_ASSUME_SOFFSET_UNCHECKED)
		fprintf(f, " --soffset-unchecked");
	if (o->profile)
		put_quoted(f, " --profile ", o->profile);
	if (o->races)
		fprintf(f, " --races %s", o->races);
	if (o->baseline)
		put_quoted(f, " --baseline ", o->baseline);
	if (o->waive)
		put_quoted(f, " --waive ", o->waive);
	if (o->expect)
		put_quoted(f, " --expect ", o->expect);
	if (o->require_proof)
		fprintf(f, " --require-proof");
	if (o->time_out > 0 && !is_hunt(o, r))
		fprintf(f, " --time-out %g", o->time_out);
	fprintf(f, " --device %s%s --seed %" PRIu64, d->name, o->beside ? ",emu" : "", o->seed);
	if (o->tiles)
		fprintf(f, " --tiles %u", o->tiles);
	if (o->shape) {
		fprintf(f, " --shape %s --regime %s", o->shape, mx_regime_name(r->run->run.regime));
		put_quoted(f, " ", r->run->run.variant ? r->run->name : r->run->c->name);
	} else
		put_quoted(f, " ", r->run->name);
	if (o->schedule)
		put_quoted(f, " --schedule ", o->schedule);
}

static void print_command(const struct mx_options *o, const struct mx_device *d,
                          const struct mx_result *r) {
	mx_report_command(stdout, o, d, r);
}

static void print_lines(const char *at, const char *lead, const char *mark) {
	while (*at) {
		int n = (int)strcspn(at, "\n");
		printf("%s%s%.*s\n", lead, mark, n, at);
		at += n + (at[n] == '\n');
	}
}

static void print_witness(const struct mx_options *o, const struct mx_device *d,
                          const struct mx_result *r, const char *lead) {
	print_lines(r->witness, lead, "witness: ");
	if (!r->schedule)
		return;
	printf("%sreplay: ", lead);
	print_command(o, d, r);
	printf(" --schedule '%s'\n", r->schedule);
}

/* The options of a hunt that is as long as needed to repeat the finding. */
static void print_hunt(const struct mx_options *o, const struct mx_result *r) {
	const struct mx_race *race = &r->race;
	unsigned long runs = race->divergent ? race->first + 1 : race->runs;
	char vary[128];
	mx_vary_text(&r->vary, false, vary, sizeof vary);
	printf(" --race %lu", runs ? runs : 1);
	if (vary[0])
		printf(" --vary %s", vary);
	if (race->timeouts || r->lost)
		printf(" --time-out %g", race->time_out > 0 ? race->time_out
		                         : o->time_out > 0  ? o->time_out
		                                            : MX_USUAL_TIME_OUT);
}

/* The commands that repeat a failure, watch its accesses, and show the origin of the first wrong
 * byte. */
static void print_reproducer(const struct mx_options *o, const struct mx_device *d,
                             const struct mx_result *r, const char *lead) {
	if (r->origin[0])
		printf("%s%s was %s\n", lead, r->origin_at, r->origin);
	printf("%sreproduce: ", lead);
	print_command(o, d, r);
	if (is_hunt(o, r))
		print_hunt(o, r);
	putchar('\n');
	if (r->verdict.race_location[0]) {
		printf("%sits accesses, with lanes: ", lead);
		print_command(o, d, r);
		printf(" --watch '%s'\n", r->verdict.race_location);
	}
	if (!r->origin[0])
		return;
	printf("%sits origin: ", lead);
	print_command(o, d, r);
	printf(" --who '%s'\n", r->origin_at);
}

/* Wrong numbers: diagnosis, pattern, distance from the reference, and the first ones. */
static void print_wrong(const struct mx_verdict *v, const char *lead) {
	char ulps[320];
	if (!v->window[0])
		return;
	mx_ulp_text(&v->metrics, ulps, sizeof ulps);
	if (v->diagnosis[0])
		printf("%sdiagnosis: %s\n", lead, v->diagnosis);
	if (v->pattern[0])
		printf("%spattern: %s\n", lead, v->pattern);
	printf("%sulp %s\n", lead, ulps);
	if (!isnan(v->snr_dequantised))
		printf("%sworst row %zu, relative error %.3g\n", lead, v->metrics.row,
		       v->metrics.row_error);
	print_lines(v->window, lead, "");
}

/* "at gemm.c:40; the earlier one at gemm.c:31", if the code object has lines. */
static void print_source(struct mx_places *places, const struct mx_result *r,
                         const struct mx_note *n, const char *lead) {
	const struct mx_note_place *p = &n->place;
	struct mx_place at = { 0 }, earlier = { 0 };
	if (p->known)
		at = mx_place_of(places, r, p->step, p->pc);
	if (p->known && p->earlier != MX_NO_PC)
		earlier = mx_place_of(places, r, p->step, p->earlier);
	if (!at.file)
		return;
	printf("%s  at %s:%u", lead, at.file, at.line);
	if (earlier.file)
		printf("; the earlier one at %s:%u", earlier.file, earlier.line);
	putchar('\n');
}

static void print_note(struct mx_places *places, const struct mx_result *r, const struct mx_note *n,
                       const char *lead) {
	printf("%s%s: %s\n", lead, n->kind, n->text);
	if (places)
		print_source(places, r, n, lead);
	if (n->more)
		printf("%s%s: and %u more\n", lead, n->kind, n->more);
}

/* Counts notes, which change no exit status. */
static void count_notes(const struct mx_verdict *v, const char *lead) {
	unsigned kinds = 0;
	for (unsigned i = 0; i < v->n_notes; i++) {
		unsigned n = v->notes[i].severity == MX_NOT_WRONG ? mx_verdict_count(v, i) : 0;
		if (!n)
			continue;
		if (!kinds++)
			printf("%snotes: ", lead);
		printf("%s%u %s", kinds > 1 ? ", " : "", n, v->notes[i].kind);
	}
	if (kinds)
		puts(" (--notes prints them)");
}

static void print_findings(const struct mx_options *o, const struct mx_device *d,
                           const struct mx_result *r, const char *lead) {
	struct mx_places *places = mx_places_make();
	for (unsigned i = 0; i < r->verdict.n_notes; i++)
		if (o->notes || r->verdict.notes[i].severity != MX_NOT_WRONG)
			print_note(places, r, &r->verdict.notes[i], lead);
	mx_places_free(places);
	if (!o->notes)
		count_notes(&r->verdict, lead);
	print_wrong(&r->verdict, lead);
	if (mx_verdict_status(&r->verdict))
		print_reproducer(o, d, r, lead);
	print_witness(o, d, r, lead);
}

/* An error that stops several runs is printed once. */
static bool is_printed(const struct mx_result *results, size_t i) {
	for (size_t k = 0; k < i; k++)
		if (results[k].bad_input && !strcmp(results[k].err.text, results[i].err.text))
			return true;
	return false;
}

static void print_proof(const struct mx_verdict *v, const char *lead) {
	char text[MX_LINE_ROOM];
	if (v->proof.outcome != MX_NOT_ANALYSED)
		printf("%sorder: %s\n", lead, mx_verdict_order(v, text, sizeof text));
}

/* The same without assumptions, to end the line of a brief case. */
static void put_order(FILE *f, const struct mx_verdict *v) {
	char text[MX_LINE_ROOM];
	if (v->proof.outcome == MX_PROVED)
		fprintf(f, "  order proved");
	else if (v->proof.outcome == MX_NOT_PROVED)
		fprintf(f, "  order not proved: %s", mx_verdict_doubt(v, text, sizeof text));
}

static void put_measured(FILE *f, const struct mx_result *r) {
	if (r->verdict.checked)
		put_numbers(f, r);
	else
		fprintf(f, "no numbers judged  %.3f s", r->seconds);
}

void mx_report_beside(FILE *f, const struct mx_result *r, const char *lead) {
	char text[640];
	fprintf(f, "%semu: ", lead);
	put_measured(f, &r->beside->emu);
	put_order(f, &r->beside->emu.verdict);
	putc('\n', f);
	if (!r->beside->disagree) /* else a finding has it */
		fprintf(f, "%s%s\n", lead, mx_beside_text(r->beside, text, sizeof text));
}

/* Whether the line of a case has all there is to say of the emulator beside it. */
static bool agrees(const struct mx_options *o, const struct mx_result *r) {
	return mx_result_is_brief(o, r) && r->beside && !r->beside->difference.differ;
}

static void print_line(const struct mx_options *o, const struct mx_result *r) {
	char text[640];
	bool brief = mx_result_is_brief(o, r);
	put_measured(stdout, r);
	if (agrees(o, r))
		printf("  %s", mx_beside_text(r->beside, text, sizeof text));
	if (brief && (!r->beside || agrees(o, r)))
		put_order(stdout, mx_result_order(r));
	else if (r->verdict.checked)
		printf("  [%s]", r->verdict.basis);
	if (r->cached)
		printf("  cached");
	putchar('\n');
}

/* The part of the emulator that the line of the run does not have. */
static void print_beside(const struct mx_options *o, const struct mx_result *r, const char *lead) {
	const struct mx_result *emu = &r->beside->emu;
	char emu_lead[32];
	if (!agrees(o, r))
		mx_report_beside(stdout, r, lead);
	if (!mx_result_is_brief(o, r))
		print_proof(&emu->verdict, lead);
	snprintf(emu_lead, sizeof emu_lead, "%semu: ", lead);
	if (emu->race.runs)
		mx_hunt_print(true, emu, emu_lead);
}

static void print_word(const struct mx_result *r) {
	if (is_stopped(r))
		mx_print_coloured(MX_YELLOW, "STOP ");
	else if (mx_result_status(r))
		mx_print_coloured(MX_RED, "FAIL ");
	else if (r->expected)
		mx_print_coloured(MX_YELLOW, "xfail");
	else
		mx_print_coloured(MX_GREEN, "pass ");
}

/* The kinds of the findings that were expected, and the reason. */
static void print_expected(const struct mx_result *r) {
	const struct mx_verdict *v = &r->verdict;
	printf("fails as expected:");
	for (unsigned i = 0; i < v->n_notes; i++)
		if (v->notes[i].severity > 0 && mx_verdict_count(v, i))
			printf(" %s", v->notes[i].kind);
	printf(": %s, until %s\n", r->expected->reason, r->expected->until);
}

/* An expected failure that is one line; a single case, -v and --tap print it as any failure. */
static bool is_short(const struct mx_options *o, const struct mx_result *r) {
	return r->expected && !r->alone && !o->verbose && !o->tap;
}

/* Passes are one line for each case, where a line for each run would fill more than a screen. */
static bool is_grouped(const struct mx_options *o, size_t n) {
	enum { SCREEN = 24 };
	return n > SCREEN && !o->verbose && !o->tap && !o->notes && mx_output_is_terminal();
}

/* A pass about which there is nothing to say. */
static bool is_pass(const struct mx_result *r) {
	for (unsigned i = 0; i < r->verdict.n_notes; i++)
		if (r->verdict.notes[i].severity != MX_NOT_WRONG)
			return false;
	return !mx_result_status(r);
}

void mx_report_result(const struct mx_options *o, const struct mx_device *d,
                      const struct mx_result *results, size_t n, size_t i) {
	const struct mx_result *r = &results[i];
	int status = mx_result_status(r);
	const char *lead = o->tap ? "#   " : "      ";
	if (r->bad_input) {
		if (!is_printed(results, i))
			fprintf(stderr, "mxcheck: %s\n", r->err.text);
		if (o->tap)
			printf("not ok %zu - %s # bad input\n", i + 1, r->run->name);
		return;
	}
	if (is_grouped(o, n) && is_pass(r))
		return;
	if (o->tap)
		printf("%sok %zu - %s%s%s\n# ", status || r->expected ? "not " : "", i + 1,
		       r->run->name, r->expected ? " # TODO " : "",
		       r->expected ? r->expected->reason : "");
	else {
		print_word(r);
		printf(" %-40s ", r->run->name);
	}
	if (r->expected)
		print_expected(r);
	if (is_short(o, r)) {
		fflush(stdout);
		return;
	}
	if (r->expected)
		fputs(lead, stdout);
	print_line(o, r);
	if (r->race.journal_error.text[0])
		fprintf(stderr, "mxcheck: %s\n", r->race.journal_error.text);
	if (r->race.runs)
		mx_hunt_print(d->emu, r, lead);
	if (r->beside)
		print_beside(o, r, lead);
	else if (!mx_result_is_brief(o, r))
		print_proof(&r->verdict, lead);
	print_findings(o, d, r, lead);
	print_lines(r->details, lead, "");
	fflush(stdout);
}

/* ---- -v ---- */

struct counted {
	const char *name;
	uint64_t n;
};

static int by_count(const void *a, const void *b) {
	const struct counted *x = a, *y = b;
	return (x->n < y->n) - (x->n > y->n);
}

/* A writer of text that is cut at the end of its room. */
struct cut {
	char *text;
	size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct cut *c, const char *format, ...) {
	va_list ap;
	va_start(ap, format);
	if (c->n < c->room)
		c->n += (size_t)vsnprintf(c->text + c->n, c->room - c->n, format, ap);
	va_end(ap);
}

static void put_mix(const struct mx_emu *emu, const struct mx_report *r, struct counted *ops,
                    struct cut *c) {
	const struct mx_stats *s = &r->stats;
	size_t n_ops = emu->op_count();
	for (size_t i = 0; i < n_ops; i++)
		ops[i] = (struct counted){ emu->op_name(i), s->by_op[i] };
	qsort(ops, n_ops, sizeof *ops, by_count);
	put(c, "%" PRIu64 " wave instructions, %.1f %% %s; most in flight:", s->instructions,
	    100.0 * (double)s->mfma / (double)s->instructions, mx_matrix_name(r->isa));
	for (size_t i = 0; i < mx_counter_count(r->isa); i++)
		put(c, "%s %s %u", i ? "," : "", mx_counter_name(r->isa, i), s->most[i]);
	put(c, "\n");
	for (size_t i = 0; i < n_ops && ops[i].n; i++)
		put(c, "%s%s %" PRIu64,
		    i == 0  ? "mix: "
		    : i % 6 ? ", "
		            : ",\n     ",
		    ops[i].name, ops[i].n);
}

static void put_step(const struct mx_bench *b, unsigned step, struct cut *c) {
	const struct mx_plan *p = mx_bench_plan(b);
	const struct mx_emu *emu = mx_bench_device(b)->emu;
	const struct mx_report *r = mx_bench_report(b, step);
	if (p->n_steps > 1)
		put(c, "%sstep %u of %u: %s\n", step ? "\n" : "", step + 1, p->n_steps,
		    p->steps[step].kernel);
	put(c, "code: %s, XXH3 %016" PRIx64 "\n", mx_bench_code(b, step),
	    mx_bench_code_hash(b, step));
	char loop[300];
	mx_kernel_loop_text(mx_bench_code(b, step), p->steps[step].kernel, loop, sizeof loop);
	if (loop[0])
		put(c, "%s\n", loop);
	struct counted *ops = emu ? calloc(emu->op_count(), sizeof *ops) : NULL;
	if (ops && r->stats.by_op && r->stats.instructions) {
		char conflicts[4000];
		mx_conflicts_text(r, conflicts, sizeof conflicts);
		put(c, "%s", conflicts);
		put_mix(emu, r, ops, c);
	}
	free(ops);
}

void mx_report_details(const struct mx_bench *b, char *text, size_t room) {
	struct cut c = { text, 0, room };
	for (unsigned i = 0; i < mx_bench_plan(b)->n_steps; i++)
		put_step(b, i, &c);
}

/* ---- the end ---- */

/* The part of a case's name that a line is of: all of it, or its folder. */
static int group_name(const struct mx_result *r, bool by_folder) {
	const char *name = r->run->c->name, *slash = by_folder ? strrchr(name, '/') : NULL;
	return slash ? (int)(slash - name) : (int)strlen(name);
}

static bool is_same_group(const struct mx_result *a, const struct mx_result *b, bool by_folder) {
	int n = group_name(a, by_folder);
	return n == group_name(b, by_folder) &&
	       !strncmp(a->run->c->name, b->run->c->name, (size_t)n);
}

/* Whether results[i] is the first pass of its group. */
static bool is_first(const struct mx_result *results, size_t i, bool by_folder) {
	if (!is_pass(&results[i]))
		return false;
	for (size_t k = 0; k < i; k++)
		if (is_pass(&results[k]) && is_same_group(&results[k], &results[i], by_folder))
			return false;
	return true;
}

static size_t count_groups(const struct mx_result *results, size_t n, bool by_folder) {
	size_t groups = 0;
	for (size_t i = 0; i < n; i++)
		groups += is_first(results, i, by_folder);
	return groups;
}

static void print_group(const struct mx_result *results, size_t n, size_t first, bool by_folder) {
	size_t runs = 0, proved = 0, cases = 0;
	double seconds = 0;
	char name[MX_RUN_NAME];
	for (size_t i = first; i < n; i++) {
		if (!is_pass(&results[i]) ||
		    !is_same_group(&results[i], &results[first], by_folder))
			continue;
		runs++;
		cases += is_first(results, i, false);
		proved += mx_result_order(&results[i])->proof.outcome == MX_PROVED;
		seconds += results[i].seconds;
	}
	snprintf(name, sizeof name, "%.*s", group_name(&results[first], by_folder),
	         results[first].run->c->name);
	if (by_folder)
		snprintf(name + strlen(name), sizeof name - strlen(name), "/*  %zu case%s", cases,
		         cases == 1 ? "" : "s");
	mx_print_coloured(MX_GREEN, "pass ");
	printf(" %-40s %zu run%s  %.3f s  order proved", name, runs, runs == 1 ? "" : "s", seconds);
	if (proved < runs)
		printf(" in %zu", proved);
	putchar('\n');
}

/* A line for each case that has passes; of many cases, for each folder of them. */
static void print_groups(const struct mx_result *results, size_t n) {
	enum { MOST = 16 };
	bool by_folder = count_groups(results, n, false) > MOST;
	for (size_t i = 0; i < n; i++)
		if (is_first(results, i, by_folder))
			print_group(results, n, i, by_folder);
}

/* Names the failures again, below all that was printed of them: status 4 before 3 before 1. */
static void print_worst(const struct mx_result *results, size_t n) {
	enum { MOST = 12 };
	size_t failed = 0;
	for (size_t i = 0; i < n; i++)
		failed += !results[i].bad_input && mx_result_status(&results[i]) != 0;
	if (failed < 2)
		return;
	printf("worst first:\n");
	size_t left = failed < MOST ? failed : MOST;
	for (int status = MX_WRONG_DEVICE; status > 0; status--)
		for (size_t i = 0; i < n && left; i++) {
			const struct mx_verdict *v = &results[i].verdict;
			if (results[i].bad_input || mx_result_status(&results[i]) != status)
				continue;
			left--;
			printf("  %d  %-40s", status, results[i].run->name);
			for (unsigned k = 0; k < v->n_notes; k++)
				if (v->notes[k].severity > 0 && mx_verdict_count(v, k))
					printf(" %s", v->notes[k].kind);
			putchar('\n');
		}
	if (failed > MOST)
		printf("  and %zu more\n", failed - MOST);
}

void mx_report_end(const struct mx_options *o, const struct mx_result *results, size_t n,
                   size_t n_absent, double seconds) {
	size_t passed = 0, bad_input = 0, stopped = 0, cached = 0, expected = 0;
	for (size_t i = 0; i < n; i++) {
		expected += results[i].expected != NULL;
		passed += mx_result_status(&results[i]) == 0 && !results[i].expected;
		bad_input += results[i].bad_input;
		cached += results[i].cached;
		stopped += is_stopped(&results[i]);
	}
	if (is_grouped(o, n))
		print_groups(results, n);
	if (mx_output_is_terminal() && !o->tap)
		print_worst(results, n);
	mx_assumptions_print(o, results, n);
	printf("%s%zu passed, %zu failed", o->tap ? "# " : "", passed,
	       n - passed - bad_input - stopped - expected);
	if (expected)
		printf(", %zu failed as expected", expected);
	if (cached)
		printf(", %zu from the cache", cached);
	if (n_absent)
		printf(", %zu skipped without their code object", n_absent);
	if (bad_input)
		printf(", %zu could not run", bad_input);
	if (stopped)
		printf(", %zu ended early without a finding", stopped);
	printf(", %.2f s\n", seconds);
}
